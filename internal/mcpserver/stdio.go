package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/schema"
)

// MaxMessage is the maximum size of a client's message, in bytes.
const MaxMessage = 4 << 20

// File is a memory file. [ServeStdio] opens it only if no server has it open, [AnswerHook]
// always does.
type File struct {
	DB  string
	Key schema.Key
	// Scope is the conversation of the client. If it names no user, the file is
	// opened and Open returns its only user.
	Scope extension.Scope
	// Open opens the file. The session of only is ignored.
	Open func() (x *extension.Extension, only extension.Scope, err error)
	// Tell shows a message to the operator.
	Tell func(message string)
}

// stdio is a server for one client.
type stdio struct {
	f File
	o Options

	mu     sync.Mutex
	remote *remote // nil once the file is open
	x      *extension.Extension
	local  *Conversation
}

// ServeStdio serves one client, which writes to in and reads from out, until in is
// closed or ctx is done. All its requests belong to one conversation. They are
// forwarded to the server on this machine that has the file open. If there is none, or
// it fails, this process opens the file.
func ServeStdio(ctx context.Context, f File, o Options, in io.Reader, out io.Writer) (err error) {
	s := &stdio{f: f, o: o}
	server, err := New(s.open, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.close(ctx)) }()
	if err := s.start(ctx); err != nil {
		return err
	}
	server.AddReceivingMiddleware(s.pass)
	client := newPending(ctx, in, out)
	err = server.Run(ctx, &mcp.IOTransport{Reader: io.NopCloser(client), Writer: nopWriteCloser{client}, MaxLineLength: MaxMessage})
	if ctx.Err() != nil {
		return nil //nolint:nilerr // clients end a server with a signal
	}
	return err
}

// start finds a server that has the file open, or opens the file.
func (s *stdio) start(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.f.Scope.User != "" {
		s.look(ctx)
	}
	if s.remote != nil {
		return nil
	}
	return s.openFile()
}

// look connects to a server, if there is one. The caller holds mu.
func (s *stdio) look(ctx context.Context) {
	found, err := dial(ctx, s.f.DB, s.f.Key, s.f.Scope, s.o)
	if err != nil {
		s.f.Tell(fmt.Sprintf("a running ebb serve is not used: %v", err))
	}
	s.remote = found
}

// openFile opens the file. The caller holds mu.
func (s *stdio) openFile() error {
	x, scope, err := s.f.Open()
	if err != nil {
		return err
	}
	s.x = x
	scope.Session = s.f.Scope.Session
	s.local, err = NewConversation(x, scope, s.o)
	return err
}

// open is the [Opener] of requests that this process answers.
func (s *stdio) open(context.Context) (*Conversation, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.local == nil {
		if err := s.openFile(); err != nil {
			return nil, err
		}
	}
	return s.local, nil
}

// pass is middleware that forwards requests about the memory to the server that has
// the file open. If the server has gone, pass looks for it once more, since it may
// have been restarted.
func (s *stdio) pass(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		first := s.server()
		if first == nil {
			return next(ctx, method, req)
		}
		withID(req)
		for server := first; server != nil; server = s.instead(ctx, server, server == first) {
			result, passed, err := server.pass(ctx, req)
			switch {
			case !passed:
				return next(ctx, method, req)
			case err == nil:
				return result, nil
			case ctx.Err() != nil || isAnswer(err):
				return nil, err
			}
		}
		return next(ctx, method, req)
	}
}

func (s *stdio) server() *remote {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.remote
}

// instead returns the replacement of a failed server: one that another request has
// found, or if look is set a newly found one. It returns nil if this process is to
// answer from the file.
func (s *stdio) instead(ctx context.Context, failed *remote, look bool) *remote {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.remote == failed {
		_ = failed.session.Close() // its server is gone
		if s.remote = nil; look {
			s.look(ctx)
		}
		if s.remote == nil {
			s.f.Tell("ebb serve does not answer; the file is opened here")
		}
	}
	return s.remote
}

// close ends the connection and closes the file.
func (s *stdio) close(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.remote != nil {
		_ = s.remote.session.Close() // a server without sessions has nothing to end
	}
	if s.x == nil {
		return nil
	}
	if s.local != nil {
		s.local.finish(ctx)
	}
	return s.x.Close(context.WithoutCancel(ctx))
}

type nopWriteCloser struct{ io.Writer }

// Close implements io.Closer.
func (nopWriteCloser) Close() error { return nil }
