package server

import (
	"cmp"
	"context"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/internal/mcpserver"
)

// conversationKey identifies a conversation of a token.
type conversationKey struct {
	token string // hash
	scope extension.Scope
}

// conversation returns the token's conversation with this session name, and creates
// it if needed.
func (s *Server) conversation(id identity, session string) (*mcpserver.Conversation, error) {
	scope := id.scope
	scope.Session = session
	key := conversationKey{id.token.Hash, scope}
	s.mu.Lock()
	defer s.mu.Unlock()
	if c, known := s.conversations.Get(key); known {
		return c, nil
	}
	c, err := mcpserver.NewConversation(s.ext, scope, s.mcpOptions(id.token))
	if err == nil {
		s.conversations.Add(key, c)
	}
	return c, err
}

func (s *Server) mcpOptions(t Token) mcpserver.Options {
	return mcpserver.Options{Version: s.o.Version, WriteTurns: t.WriteTurns, TrustClient: t.WriteTurns && t.Host}
}

// mcpHandler serves the protocol without sessions, in which each request stands
// for itself: a day of a token is one conversation.
func (s *Server) mcpHandler() http.Handler {
	open := func(ctx context.Context) (*mcpserver.Conversation, error) {
		id := identityOf(ctx)
		return s.conversation(id, cmp.Or(id.scope.Session, "mcp "+id.token.Name+" "+time.Now().Format(time.DateOnly)))
	}
	// The two servers differ only in the tools they offer; the user is in the context.
	servers := make(map[bool]*mcp.Server)
	for _, turns := range []bool{false, true} {
		server, err := mcpserver.New(open, mcpserver.Options{Version: s.o.Version, WriteTurns: turns})
		if err != nil {
			panic(err) // these options are valid
		}
		servers[turns] = server
	}
	return s.limitedTime(mcp.NewStreamableHTTPHandler(func(r *http.Request) *mcp.Server {
		return servers[identityOf(r.Context()).token.WriteTurns]
	}, &mcp.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, DisableLocalhostProtection: true, // guarded checks more
		MaxRequestBodyBytes: -1, PropagateRequestCancellation: true, // the body is bounded already
	}))
}
