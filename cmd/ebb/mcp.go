package main

import (
	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/internal/build"
	"github.com/ebbmem/ebb/internal/mcpserver"
)

type mcpCmd struct {
	localEncoder

	WriteTurns  bool `help:"Offer the tool record_turn, which stores messages verbatim."`
	TrustClient bool `help:"Trust messages that the client records for the user as the user's own. Only for a client used by one person; requires --write-turns."`
	Hook        bool `help:"Answer one hook of Claude Code instead: print the context for the prompt on standard input; with --write-turns also store it. See docs/MCP.md."`
}

// Help says how clients start it.
func (mcpCmd) Help() string {
	return `Serves the Model Context Protocol on standard input and output. A client such as Claude Desktop starts it ("ebb setup" configures the client). --user sets the user; a client cannot change it.

What a client's model writes is untrusted: searches find it, but it is never injected automatically. While "ebb serve" has the file open on this machine, requests go through it, with its profile and encoder. See docs/MCP.md.`
}

func (c *mcpCmd) Run(a *app) error {
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
	file := mcpserver.File{DB: a.db, Key: a.key, Tell: a.tell, Open: func() (*extension.Extension, extension.Scope, error) {
		x, err := a.openWith(cfg)
		return x, a.scope(), err
	}}
	file.Scope = a.scope()
	file.Scope.Session = a.sessionName("mcp")
	if c.Hook {
		return mcpserver.AnswerHook(a.ctx, file, options, a.stdin, a.stdout)
	}
	return mcpserver.ServeStdio(a.ctx, file, options, a.stdin, a.stdout)
}
