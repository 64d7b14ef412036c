package mcpserver

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/internal/link"
	"github.com/ebbmem/ebb/internal/strictjson"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
)

// Hello is sent by a stdio server to the server that has the file open. It contains
// the conversation and options of its client.
type Hello struct {
	User        string `json:"user"`
	Tenant      string `json:"tenant,omitempty"`
	Session     string `json:"session"`
	WriteTurns  bool   `json:"write_turns,omitempty"`
	TrustClient bool   `json:"trust_client,omitempty"`
	// Proof proves that the program has the key of an encrypted memory.
	Proof string `json:"proof"`
}

// helloHeader is the header that carries a Hello, as JSON in base64.
const helloHeader = "Ebb-Hello"

var errHello = errors.New("this server is not for that memory; open the file")

// ReadHello returns the Hello of a request, and an error if its proof, scope or
// options are invalid. key is the key of the open memory, certificate that of the
// server's run.
func ReadHello(r *http.Request, key schema.Key, certificate []byte) (h Hello, err error) {
	raw, err := base64.StdEncoding.DecodeString(r.Header.Get(helloHeader))
	if err != nil || strictjson.Decode(raw, &h) != nil {
		return h, errHello
	}
	proof, err := keyProof(key, certificate)
	if err != nil || subtle.ConstantTimeCompare([]byte(proof), []byte(h.Proof)) != 1 {
		return h, errHello
	}
	o := Options{WriteTurns: h.WriteTurns, TrustClient: h.TrustClient}
	return h, errors.Join(h.Scope().Validate(), o.Validate())
}

// Scope returns the conversation of the client.
func (h *Hello) Scope() extension.Scope {
	return extension.Scope{Tenant: h.Tenant, User: h.User, Session: h.Session}
}

// keyProof returns a value derived from the key and the certificate of a server's run.
// It proves possession of the key to that run and does not reveal the key.
func keyProof(key schema.Key, certificate []byte) (string, error) {
	proof, err := key.Derive(certificate, "ebb local server")
	return hex.EncodeToString(proof), err
}

// remote is a connection to the server that has the file open.
type remote struct{ session *mcp.ClientSession }

// connectTime limits the time to connect to a server.
const connectTime = 5 * time.Second

// dial connects to the server that has the memory file db open. It returns nil if
// there is no usable one, with an error if a server was announced but must not be used.
func dial(ctx context.Context, db string, key schema.Key, scope extension.Scope, o Options) (*remote, error) {
	server, err := link.Find(db)
	if server == nil {
		return nil, err
	}
	proof, err := keyProof(key, server.Certificate)
	if err != nil {
		return nil, err
	}
	hello, err := json.Marshal(Hello{scope.User, scope.Tenant, scope.Session, o.WriteTurns, o.TrustClient, proof})
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, connectTime)
	defer cancel()
	client := mcp.NewClient(&mcp.Implementation{Name: "ebb mcp", Version: o.Version}, nil)
	session, err := client.Connect(ctx, &mcp.StreamableClientTransport{
		Endpoint: server.URL + "/mcp", HTTPClient: server.Client(helloHeader, base64.StdEncoding.EncodeToString(hello)),
		MaxRetries: -1, DisableStandaloneSSE: true,
	}, nil)
	if err != nil {
		return nil, nil //nolint:nilerr // a killed server does not remove its announcement
	}
	return &remote{session}, nil
}

// pass forwards a request. It reports false for a request that this process answers.
func (r *remote) pass(ctx context.Context, req mcp.Request) (result mcp.Result, passed bool, err error) {
	switch req := req.(type) {
	case *mcp.CallToolRequest:
		result, err = r.session.CallTool(ctx, &mcp.CallToolParams{Name: req.Params.Name, Arguments: req.Params.Arguments})
	case *mcp.ReadResourceRequest:
		result, err = r.session.ReadResource(ctx, &mcp.ReadResourceParams{URI: req.Params.URI})
	case *mcp.GetPromptRequest:
		result, err = r.session.GetPrompt(ctx, &mcp.GetPromptParams{Name: req.Params.Name, Arguments: req.Params.Arguments})
	default:
		return nil, false, nil
	}
	return result, true, err
}

// The SDK's error codes for transport failures: the request did not reach the server,
// or the response did not reach the client.
const (
	codeClientClosing = -32003
	codeServerClosing = -32004
	codeRejected      = -32005
)

// isAnswer reports whether an error is the server's response and not a transport
// failure.
func isAnswer(err error) bool {
	e, ok := errors.AsType[*jsonrpc.Error](err)
	return ok && e.Code != codeClientClosing && e.Code != codeServerClosing && e.Code != codeRejected
}

// withID adds an id to a call of record_turn that has none, so that a retry does not
// store the message twice.
func withID(req mcp.Request) {
	call, ok := req.(*mcp.CallToolRequest)
	if !ok || call.Params.Name != recordTurn {
		return
	}
	if t, err := readTurn(call.Params.Arguments); err == nil && t.ID == "" {
		t.ID = rand.Text()
		call.Params.Arguments = json.RawMessage(text.JSON(t))
	}
}
