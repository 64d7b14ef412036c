package link

import (
	"bytes"
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/big"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// announcement is the content of FILE.serve.
type announcement struct {
	Version     int    `json:"version"`
	Address     string `json:"address"`     // a loopback address with its port
	Memory      string `json:"memory"`      // identity of the open file
	Certificate []byte `json:"certificate"` // DER; both sides use it
	Key         []byte `json:"key"`         // its private key, PKCS #8
}

// version is the protocol between the two programs. Another one is not spoken to.
const version = 1

// longest is more than an announcement takes, in bytes.
const longest = 16 << 10

// name is the name in the certificate.
const name = "ebb"

// pathOf returns where the server of a memory file announces itself: beside the
// file that a symbolic link leads to.
func pathOf(db string) (string, error) {
	real, err := filepath.EvalSymlinks(db)
	return real + ".serve", err
}

// Listener accepts the connections of programs that have read the announcement.
type Listener struct {
	net.Listener

	// Certificate is that of this run, in DER.
	Certificate []byte

	path string
	raw  []byte
	once sync.Once
}

// Listen listens on loopback for the server that has the memory file db open, and
// announces it. Closing the listener takes the announcement back.
func Listen(ctx context.Context, db string) (*Listener, error) {
	path, err := pathOf(db)
	if err != nil {
		return nil, err
	}
	memory, err := identity(db)
	if err != nil {
		return nil, err
	}
	certificate, key, err := newPair()
	if err != nil {
		return nil, err
	}
	config, err := configOf(certificate, key)
	if err != nil {
		return nil, err
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	raw, err := json.Marshal(announcement{version, l.Addr().String(), memory, certificate, key})
	if err == nil {
		err = WriteFile(path, raw, 0o600)
	}
	if err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return &Listener{Listener: tls.NewListener(l, config), Certificate: certificate, path: path, raw: raw}, nil
}

// Close stops listening and removes the announcement, unless it is another
// server's by now.
func (l *Listener) Close() error {
	err := l.Listener.Close()
	l.once.Do(func() {
		if now, readErr := os.ReadFile(l.path); readErr == nil && bytes.Equal(now, l.raw) {
			err = errors.Join(err, os.Remove(l.path))
		}
	})
	return err
}

// newPair makes a self-signed certificate for one run of a server.
func newPair() (certificate, key []byte, err error) {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	now := time.Now()
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), DNSNames: []string{name}, NotBefore: now.Add(-24 * time.Hour), NotAfter: now.AddDate(10, 0, 0),
		KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign, IsCA: true, BasicConstraintsValid: true,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	if certificate, err = x509.CreateCertificate(rand.Reader, template, template, &private.PublicKey, private); err != nil {
		return nil, nil, err
	}
	key, err = x509.MarshalPKCS8PrivateKey(private)
	return certificate, key, err
}

// configOf is the configuration of either side: it has the pair, and refuses
// a peer that has not.
func configOf(certificate, key []byte) (*tls.Config, error) {
	parsed, err := x509.ParseCertificate(certificate)
	if err != nil {
		return nil, err
	}
	private, err := x509.ParsePKCS8PrivateKey(key)
	if err != nil {
		return nil, err
	}
	own := x509.NewCertPool()
	own.AddCert(parsed)
	return &tls.Config{
		MinVersion: tls.VersionTLS13, ServerName: name, RootCAs: own, ClientCAs: own, ClientAuth: tls.RequireAndVerifyClientCert,
		Certificates: []tls.Certificate{{Certificate: [][]byte{certificate}, PrivateKey: private, Leaf: parsed}},
	}, nil
}

// Server is a server that has a memory file open.
type Server struct {
	// URL is where it answers.
	URL string
	// Certificate is that of its run, in DER.
	Certificate []byte

	config *tls.Config
}

// Find returns the server that has announced itself for the memory file db, or nil
// if there is none. Whether it still answers is known when a client connects.
//
// Errors: the announcement can be read or was written by others, or is damaged. The
// caller then opens the file itself.
func Find(db string) (*Server, error) {
	path, err := pathOf(db)
	if err != nil {
		return nil, ignoreAbsent(err) // no memory file yet
	}
	raw, err := ReadPrivate(path, longest)
	if err != nil {
		return nil, ignoreAbsent(err)
	}
	return parse(path, db, raw)
}

// parse reads an announcement. It returns nil for one of another file or another
// version of ebb.
func parse(path, db string, raw []byte) (*Server, error) {
	var a announcement
	damaged := fmt.Errorf("%s is damaged; remove it, or start ebb serve again", path)
	if json.Unmarshal(raw, &a) != nil {
		return nil, damaged
	}
	if a.Version != version {
		return nil, nil
	}
	if memory, err := identity(db); err != nil || memory != a.Memory {
		return nil, ignoreAbsent(err) // the server has another file open, which was at this path before
	}
	host, port, err := net.SplitHostPort(a.Address)
	if ip := net.ParseIP(host); err != nil || port == "" || ip == nil || !ip.IsLoopback() {
		return nil, damaged
	}
	config, err := configOf(a.Certificate, a.Key)
	if err != nil {
		return nil, damaged
	}
	return &Server{"https://" + a.Address, a.Certificate, config}, nil
}

// ignoreAbsent returns nil for an error that says that a file is absent.
func ignoreAbsent(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// Answers reports whether the server still accepts connections.
func (s *Server) Answers(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	conn, err := (&tls.Dialer{Config: s.config}).DialContext(ctx, "tcp", strings.TrimPrefix(s.URL, "https://"))
	if err == nil {
		_ = conn.Close()
	}
	return err == nil
}

// Client returns a client that speaks to this server alone, and adds a header to
// each request. Times of requests are bounded; a server that is stopped is given
// up.
func (s *Server) Client(header, value string) *http.Client {
	return &http.Client{Transport: withHeader{header, value, &http.Transport{
		DialContext: (&net.Dialer{Timeout: 2 * time.Second}).DialContext, TLSClientConfig: s.config, TLSHandshakeTimeout: 2 * time.Second,
		ResponseHeaderTimeout: 40 * time.Second, MaxIdleConnsPerHost: 4, IdleConnTimeout: time.Minute,
	}}}
}

type withHeader struct {
	name, value string
	*http.Transport
}

// RoundTrip implements http.RoundTripper.
func (w withHeader) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set(w.name, w.value)
	return w.Transport.RoundTrip(r)
}

// ReadPrivate reads at most so many bytes of a file that only its owner, who runs this
// program, can read.
//
// Errors: the file is not such a one; those of package os.
func ReadPrivate(path string, most int64) ([]byte, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() { // opening a pipe would wait for its writer
		return nil, fmt.Errorf("%s is not an ordinary file; remove it", path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if info, err = f.Stat(); err != nil {
		return nil, err
	}
	if err := private(info); err != nil {
		return nil, fmt.Errorf("%s %w", path, err)
	}
	return io.ReadAll(io.LimitReader(f, most))
}

// WriteFile atomically replaces a file by one with this content and mode.
func WriteFile(path string, content []byte, mode fs.FileMode) error {
	temp, err := os.CreateTemp(filepath.Dir(path), ".ebb-*")
	if err != nil {
		return err
	}
	_, err = temp.Write(content)
	if err = errors.Join(err, temp.Chmod(mode), temp.Sync(), temp.Close()); err == nil {
		err = os.Rename(temp.Name(), path)
	}
	if err != nil {
		_ = os.Remove(temp.Name())
	}
	return err
}
