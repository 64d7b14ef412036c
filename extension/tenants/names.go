package tenants

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/internal/files"
	"github.com/ebbmem/ebb/schema"
)

// dirMarker is the file that defines how file names in a folder are made.
const dirMarker = "ebb-dir.json"

// marker is the content of dirMarker. Check can be computed only with the right
// key.
type marker struct {
	Version int    `json:"ebb_dir"`
	Keyed   bool   `json:"keyed"`
	Salt    string `json:"salt"`
	Check   string `json:"check"`
}

// fileNames maps tenants to file names.
type fileNames struct{ secret []byte }

// of returns the HMAC-SHA256 of the tenant's name, in letters and digits that are
// distinct on case-insensitive file systems. Guesses of a name cannot be tested
// without the folder's secret, which is derived from the key or, without a key,
// stored in the marker. All 256 bits are used, so names do not collide.
func (n *fileNames) of(tenant string) string {
	mac := hmac.New(sha256.New, n.secret)
	mac.Write([]byte(tenant))
	return strings.ToLower(base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(mac.Sum(nil))) + ".db"
}

var tenantFile = regexp.MustCompile(`^[a-z2-7]{52}\.db$`)

// prepareDir checks or creates the folder, with access for its owner only.
func prepareDir(path string, readOnly bool) (string, error) {
	if strings.TrimSpace(path) == "" {
		return "", &schema.InvalidError{Field: "path", Reason: "is empty; give the folder that holds the memories"}
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return "", err
	}
	if !readOnly {
		if err := os.Mkdir(path, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
			return "", &schema.InvalidError{Field: "path", Reason: "cannot be made: " + err.Error()}
		}
	}
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return "", fmt.Errorf("no such folder %s: %w", path, schema.ErrNotFound)
	case err != nil:
		return "", err
	case !info.IsDir():
		return "", &schema.InvalidError{Field: "path", Reason: "is a file; give the folder that holds the memories"}
	case runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0: // Windows has access lists, and no modes
		return "", &schema.InvalidError{Field: "path", Reason: fmt.Sprintf("is open to others (mode %04o); chmod 700 it", info.Mode().Perm())}
	}
	return path, nil
}

// openNames reads the folder's marker, or creates one in a folder without it.
func openNames(dir string, key schema.Key, readOnly bool) (*fileNames, error) {
	path := filepath.Join(dir, dirMarker)
	encoded, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		if readOnly {
			return nil, fmt.Errorf("%w: the folder has no %s", schema.ErrNotDatabase, dirMarker)
		}
		if encoded, err = makeMarker(dir, path, key); err != nil {
			return nil, err
		}
	}
	if err != nil {
		return nil, err
	}
	var m marker
	if err := json.Unmarshal(encoded, &m); err != nil || m.Version != 1 {
		return nil, fmt.Errorf("%w: %s is damaged, or of a newer ebb; put it back from a backup", schema.ErrNotDatabase, dirMarker)
	}
	salt, err := hex.DecodeString(m.Salt)
	if err != nil || len(salt) != sha256.Size {
		return nil, fmt.Errorf("%w: %s is damaged; put it back from a backup", schema.ErrNotDatabase, dirMarker)
	}
	switch {
	case m.Keyed && key.IsZero():
		return nil, schema.ErrKeyMissing
	case !m.Keyed && !key.IsZero():
		return nil, schema.ErrKeyUnneeded
	}
	secret, check, err := nameSecret(key, salt)
	if err == nil && check != m.Check {
		err = schema.ErrKeyWrong
		if !m.Keyed {
			err = fmt.Errorf("%w: %s is damaged; put it back from a backup", schema.ErrNotDatabase, dirMarker)
		}
	}
	if err != nil {
		return nil, err
	}
	return &fileNames{secret}, nil
}

func nameSecret(key schema.Key, salt []byte) (secret []byte, check string, err error) {
	if secret, err = key.Derive(salt, "ebb tenant names"); err != nil {
		return nil, "", err
	}
	sum, err := key.Derive(salt, "ebb tenant names check")
	return secret, hex.EncodeToString(sum), err
}

// makeMarker writes the marker under a temporary name and links it into place, so
// that processes that create a folder at the same time share one marker.
func makeMarker(dir, path string, key schema.Key) ([]byte, error) {
	if found, err := filepath.Glob(filepath.Join(dir, "*.db")); err != nil || len(found) > 0 {
		return nil, errors.Join(err, fmt.Errorf("%w: the folder has files and no %s, which says whose they are; put it back from a backup, or give an empty folder", schema.ErrNotDatabase, dirMarker))
	}
	salt := make([]byte, sha256.Size)
	_, _ = rand.Read(salt) // never fails
	_, check, err := nameSecret(key, salt)
	if err != nil {
		return nil, err
	}
	encoded, err := json.Marshal(marker{Version: 1, Keyed: !key.IsZero(), Salt: hex.EncodeToString(salt), Check: check})
	if err != nil {
		return nil, err
	}
	tmp, err := os.CreateTemp(dir, ".ebb-dir-*")
	if err != nil {
		return nil, err
	}
	_, err = tmp.Write(encoded)
	err = errors.Join(err, tmp.Sync(), tmp.Close())
	if err == nil {
		err = files.LinkNew(tmp.Name(), path)
	}
	if errors.Is(err, os.ErrExist) {
		err = nil
	}
	removal := os.Remove(tmp.Name())
	if errors.Is(removal, os.ErrNotExist) { // renamed, on a file system without hard links
		removal = nil
	}
	if err := errors.Join(err, removal); err != nil {
		return nil, err
	}
	return os.ReadFile(path)
}

// files lists the file names of the folder's memories.
func (d *Dir) files() ([]string, error) {
	entries, err := os.ReadDir(d.path)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, e := range entries {
		if tenantFile.MatchString(e.Name()) {
			names = append(names, e.Name())
		}
	}
	return names, nil
}

// File is a tenant's file in a folder.
type File struct {
	Tenant string `json:"tenant"`
	// Known is false for a file without users, whose tenant is not known yet.
	Known bool   `json:"known"`
	File  string `json:"file"` // name in the folder
	Bytes int64  `json:"bytes"`
	// Used is the time of the last write.
	Used time.Time `json:"used"`
}

// Tenants lists the tenants of the folder by name, with their files. It is for
// operators and opens every file, since only the files contain the names. Files
// that cannot be opened are listed first, and named in the error.
//
// Errors: those of [Dir.Tenant], naming the files.
func (d *Dir) Tenants(ctx context.Context) ([]File, error) {
	names, err := d.files()
	if err != nil {
		return nil, err
	}
	all := make([]File, 0, len(names))
	var faults []error
	for _, name := range names {
		t, err := d.tenantOf(ctx, name)
		if errors.Is(err, schema.ErrNotFound) {
			continue // erased since the folder was read
		}
		if err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", name, err))
		}
		all = append(all, t)
	}
	slices.SortStableFunc(all, func(a, b File) int { return strings.Compare(a.Tenant, b.Tenant) })
	return all, errors.Join(faults...)
}

func (d *Dir) tenantOf(ctx context.Context, name string) (File, error) {
	path := filepath.Join(d.path, name)
	t := File{File: name}
	if info, err := os.Stat(path); err == nil {
		t.Bytes = info.Size()
	}
	for _, written := range []string{path, path + "-wal"} {
		if info, err := os.Stat(written); err == nil && info.Size() > 0 && info.ModTime().After(t.Used) {
			t.Used = info.ModTime()
		}
	}
	f, err := d.acquire(ctx, name, false)
	if err != nil {
		return t, err
	}
	defer d.releaseCold(f)
	users, err := f.x.Users(ctx)
	if len(users) > 0 {
		t.Tenant, t.Known = users[0].Tenant, true
	}
	return t, err
}

// bind assigns a file to one tenant permanently.
func bind(ctx context.Context, x *extension.Extension, name string) error {
	db := x.Parts().DB
	if db.Tenant() == nil {
		users, err := x.Users(ctx)
		if err != nil {
			return err
		}
		for _, u := range users {
			if u.Tenant != name {
				return &schema.InvalidError{Field: "tenant", Reason: "has a file that holds another tenant's memory: it was renamed, or copied from elsewhere; put the right one back"}
			}
		}
	}
	return db.BindTenant(name)
}
