package main

import (
	"context"
	"errors"
	"io"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/ebbmem/ebb/internal/mcpserver"
)

type mcpCmd struct {
	localEncoder

	WriteTurns  bool `help:"Offer record_turn, by which the client stores messages word for word."`
	TrustClient bool `help:"Take a message that the client records for the user as the user's own word. Only for a client that speaks for one person alone; needs --write-turns."`
}

// Help says how clients start it.
func (mcpCmd) Help() string {
	return `Speaks the Model Context Protocol on standard input and output: a client such as Claude Desktop starts it ("ebb setup" writes its configuration). --user says whose memory it is; nothing that a client sends can change that.

What a client's model writes is not the user's word: it is found by a search and never injected automatically. See docs/MCP.md.`
}

// maxMessage is the longest message of a client, in bytes.
const maxMessage = 4 << 20

func (c *mcpCmd) Run(a *app) (err error) {
	options := mcpserver.Options{Version: readVersion().Version, WriteTurns: c.WriteTurns, TrustClient: c.TrustClient}
	if err := options.Validate(); err != nil {
		return err
	}
	cfg := a.profile.config()
	if err := c.localEncoder.connect(cfg); err != nil {
		return err
	}
	if err := a.needUser(); err != nil {
		return err
	}
	x, err := a.openWith(cfg)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.Close(context.WithoutCancel(a.ctx))) }()
	scope := a.scope()
	scope.Session = a.sessionName("mcp")
	conversation, err := mcpserver.NewConversation(x, scope, options)
	if err != nil {
		return err
	}
	server, err := mcpserver.New(func(context.Context) (*mcpserver.Conversation, error) { return conversation, nil }, options)
	if err != nil {
		return err
	}
	err = server.Run(a.ctx, &mcp.IOTransport{Reader: io.NopCloser(a.stdin), Writer: nopWriteCloser{a.stdout}, MaxLineLength: maxMessage})
	if a.ctx.Err() != nil {
		return nil // the client ends a server with a signal
	}
	return err
}

type nopWriteCloser struct{ io.Writer }

func (nopWriteCloser) Close() error { return nil }
