package server

import (
	"context"
	"fmt"
	"net/http"

	"github.com/ebbmem/ebb/internal/link"
	"github.com/ebbmem/ebb/internal/mcpserver"
)

// listenLocally announces the server to programs of the same operator on this
// machine. It returns nil if it cannot: they then open the file themselves.
func (s *Server) listenLocally(ctx context.Context) *link.Listener {
	if s.o.DB == "" {
		return nil
	}
	l, err := link.Listen(ctx, s.o.DB)
	if err != nil {
		s.o.Report(err)
		return nil
	}
	return l
}

// maxForwarded is the longest body of a forwarded message, in bytes: JSON may take six
// bytes for one of the client's.
const maxForwarded = 6*mcpserver.MaxMessage + 64<<10

// localHandler serves /mcp to local programs. TLS has proved that they can read files
// that only the operator can read, so they may name any user, like a program that opens
// the memory file itself.
func (s *Server) localHandler(certificate []byte) http.Handler {
	serve := s.mcpHandler()
	mux := http.NewServeMux()
	mux.HandleFunc("/mcp", func(w http.ResponseWriter, r *http.Request) {
		hello, err := mcpserver.ReadHello(r, s.o.Key, certificate)
		if err != nil {
			fail(w, http.StatusForbidden, "hello", err.Error())
			return
		}
		id := identity{scope: hello.Scope(), token: Token{
			Name: "local", Hash: fmt.Sprint("local ", hello.WriteTurns, hello.TrustClient), WriteTurns: hello.WriteTurns, Host: hello.TrustClient,
		}}
		r.Body = http.MaxBytesReader(w, r.Body, maxForwarded)
		serve.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), identityKey{}, id)))
	})
	return s.counted(mux)
}
