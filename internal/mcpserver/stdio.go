package mcpserver

import (
	"context"
	"io"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/ebbmem/ebb/extension"
)

// maxMessage is the longest message of a client, in bytes.
const maxMessage = 4 << 20

// ServeStdio answers a client that writes to in and reads from out, until it
// closes in or ctx ends. The client is one conversation, in scope.
func ServeStdio(ctx context.Context, x *extension.Extension, scope extension.Scope, o Options, in io.Reader, out io.Writer) error {
	conversation, err := NewConversation(x, scope, o)
	if err != nil {
		return err
	}
	s, err := New(func(context.Context) (*Conversation, error) { return conversation, nil }, o)
	if err != nil {
		return err
	}
	err = s.Run(ctx, &mcp.IOTransport{Reader: io.NopCloser(in), Writer: nopWriteCloser{out}, MaxLineLength: maxMessage})
	if ctx.Err() != nil {
		return nil //nolint:nilerr // clients end a server with a signal
	}
	return err
}

type nopWriteCloser struct{ io.Writer }

// Close implements io.Closer.
func (nopWriteCloser) Close() error { return nil }
