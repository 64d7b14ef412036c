package main

import (
	"context"
	"errors"

	"github.com/ebbmem/ebb/internal/build"
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

func (c *mcpCmd) Run(a *app) (err error) {
	options := mcpserver.Options{Version: build.Read().Version, WriteTurns: c.WriteTurns, TrustClient: c.TrustClient}
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
	return mcpserver.ServeStdio(a.ctx, x, scope, options, a.stdin, a.stdout)
}
