package main

import (
	"context"
	"errors"
	"fmt"
	"net"

	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/internal/build"
	"github.com/ebbmem/ebb/internal/server"
)

type serveCmd struct {
	localEncoder

	Listen   string   `default:"127.0.0.1:7411" placeholder:"ADDRESS" help:"Address to listen on (default 127.0.0.1:7411)."`
	Insecure bool     `help:"Allow an address that others can reach, without TLS: put a proxy with TLS before it."`
	Host     []string `placeholder:"NAME" help:"A name, beside localhost, under which the server is reached."`
	MaxBody  int64    `default:"1048576" placeholder:"BYTES" help:"The longest body of a request (default 1 MiB)."`
	Rate     int      `default:"50" placeholder:"N" help:"Requests a second of one token (default 50)."`
}

// Help says where what is served is described.
func (serveCmd) Help() string {
	return `Serves the memories of a file over HTTP: a JSON API below /v1 (its OpenAPI document is /v1/openapi.json), the Model Context Protocol at /mcp, /healthz, and /metrics for Prometheus. Every request but /healthz needs a token, which "ebb token add" makes. Nights run by their schedule, without a model. See docs/SERVE.md.`
}

// Run implements the command.
func (c *serveCmd) Run(a *app) (err error) {
	host, _, err := net.SplitHostPort(c.Listen)
	if err != nil {
		return &usageError{"--listen must be an address such as 127.0.0.1:7411"}
	}
	if ip := net.ParseIP(host); host != "localhost" && (ip == nil || !ip.IsLoopback()) && !c.Insecure {
		return &usageError{"--listen " + c.Listen + " can be reached by others, and nothing is encrypted; listen on 127.0.0.1 behind a proxy with TLS, or add --insecure"}
	}
	if c.Rate < 1 || c.MaxBody < 1 {
		return &usageError{"--rate and --max-body must be at least 1"}
	}
	cfg := a.profile.config()
	if err := c.localEncoder.connect(cfg); err != nil {
		return err
	}
	x, err := a.openWith(cfg)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.Close(context.WithoutCancel(a.ctx))) }()
	tokens := server.TokensOf(a.db)
	all, err := tokens.List()
	if err != nil {
		return err
	}
	if len(all) == 0 {
		a.tell("there is no token yet; make one with: ebb token add NAME --user USER")
	}
	s, err := server.New(x, tokens, server.Options{
		Version: build.Read().Version, Hosts: c.Host, MaxBody: c.MaxBody, Rate: c.Rate,
		Report: func(err error) { a.tellFault("serve", err) },
	})
	if err != nil {
		return err
	}
	l, err := (&net.ListenConfig{}).Listen(a.ctx, "tcp", c.Listen)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintf(a.stdout, "Serving %s on http://%s\n", a.db, l.Addr()); err != nil {
		return errors.Join(err, l.Close())
	}
	return s.Serve(a.ctx, l)
}

type tokenCmd struct {
	Add    tokenAddCmd    `cmd:"" help:"Make a token and print it; it is shown this once."`
	List   tokenListCmd   `cmd:"" help:"List the tokens; the file holds only their hashes."`
	Revoke tokenRevokeCmd `cmd:"" help:"Take a token back. A running server refuses it at once."`
}

type (
	tokenAddCmd struct {
		Name       string `arg:"" help:"What it is for, such as \"laptop\"."`
		Service    bool   `help:"It acts for several users and names one in each request, in the header Ebb-User."`
		As         string `enum:"host,client" default:"client" help:"Whose word role user is: host (the user's own) or client (a model's; default)."`
		WriteTurns bool   `help:"Offer record_turn at /mcp."`
	}
	tokenListCmd   struct{}
	tokenRevokeCmd struct {
		Name string `arg:"" help:"The token's name."`
	}
)

// Run implements the command.
func (c *tokenAddCmd) Run(a *app) error {
	t := server.Token{Name: c.Name, User: a.user, Tenant: a.tenant, Service: c.Service, Host: c.As == "host", WriteTurns: c.WriteTurns}
	if a.user == "" && !c.Service {
		return &usageError{"say whose memory it is for with --user, or --service for a program that acts for several users"}
	}
	token, err := server.TokensOf(a.db).Add(t)
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(map[string]string{"name": t.Name, "token": token})
	}
	_, err = fmt.Fprintln(a.stdout, token)
	return err
}

// Run implements the command.
func (tokenListCmd) Run(a *app) error {
	all, err := server.TokensOf(a.db).List()
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(append([]server.Token{}, all...))
	}
	p := a.page()
	rows := make([][]string, len(all))
	for i, t := range all {
		rows[i] = []string{oneLine(t.Name, 40), oneLine(t.Whose(), 60), t.Created.In(a.zone()).Format("2006-01-02 15:04")}
	}
	p.table("", rows)
	return p.err
}

// Run implements the command.
func (c *tokenRevokeCmd) Run(a *app) error {
	err := server.TokensOf(a.db).Revoke(c.Name)
	if errors.Is(err, extension.ErrNotFound) {
		return &notFoundError{err.Error()}
	}
	return err
}
