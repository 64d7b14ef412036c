package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/internal/build"
	"github.com/ebbmem/ebb/internal/cells"
	"github.com/ebbmem/ebb/internal/inspector"
	"github.com/ebbmem/ebb/internal/server"
)

type serveCmd struct {
	localEncoder

	Listen     string   `default:"127.0.0.1:7411" placeholder:"ADDRESS" help:"Address to listen on (default 127.0.0.1:7411)."`
	TLSCert    string   `name:"tls-cert" type:"path" placeholder:"FILE" help:"A certificate, with those that it rests on, in PEM: serve over TLS."`
	TLSKey     string   `name:"tls-key" type:"path" placeholder:"FILE" help:"The certificate's private key, in PEM."`
	Insecure   bool     `help:"Allow an address that other machines can reach, without TLS. Use a proxy with TLS."`
	Host       []string `placeholder:"NAME" help:"Host name, in addition to localhost, under which the server is reached."`
	MaxBody    int64    `default:"1048576" placeholder:"BYTES" help:"Maximum size of a request body, in bytes (default 1 MiB)."`
	Rate       int      `default:"50" placeholder:"N" help:"Maximum requests per second for each token (default 50)."`
	Write      bool     `help:"Allow changes on the page. Without it, the page is read-only."`
	TrustTool  []string `placeholder:"NAME" help:"Tool whose results, posted with a host token, are trusted: they do not set aside what an agent saves after them."`
	inspecting bool
}

type inspectCmd struct {
	File   string `arg:"" optional:"" type:"memory" help:"The memory (default: that of --db)."`
	Listen string `default:"127.0.0.1:0" placeholder:"ADDRESS" help:"Address to listen on (default: any free port of 127.0.0.1)."`
	Write  bool   `help:"Allow changes on the page; each can be undone."`
}

// Run implements the command.
func (c *inspectCmd) Run(a *app) error {
	a.db = cmp.Or(c.File, a.db)
	return (&serveCmd{Listen: c.Listen, Write: c.Write, MaxBody: 1 << 20, Rate: 50, inspecting: true}).Run(a)
}

// Help says where what is served is described.
func (serveCmd) Help() string {
	return `Serves the memories of a file over HTTP: a JSON API under /v1 (its OpenAPI document is /v1/openapi.json), the Model Context Protocol at /mcp, /healthz, /metrics for Prometheus, and the page of "ebb inspect", which opens with the printed link. Every other request except /healthz needs a token; create one with "ebb token add". Nights run on schedule, without a model. See docs/SERVE.md.`
}

// Run implements the command.
func (c *serveCmd) Run(a *app) (err error) {
	tokens, err := server.TokensFor(a.db)
	if err != nil && !c.inspecting {
		return err
	}
	if err := errors.Join(server.CheckTLS(c.TLSCert, c.TLSKey), server.CheckAddress(c.Listen, c.Insecure || c.TLSCert != "")); err != nil {
		return &usageError{err.Error()}
	}
	if c.Rate < 1 || c.MaxBody < 1 {
		return &usageError{"--rate and --max-body must be at least 1"}
	}
	cfg := a.profile.config()
	if err := c.localEncoder.connect(cfg); err != nil {
		return err
	}
	cfg.ReadOnly, cfg.Tools.Trusted = c.inspecting && !c.Write, c.TrustTool
	scope := a.scope() // of the flags alone: a page without --user is for every user, or those of --tenant
	open := a.openWith
	if c.inspecting {
		open = a.openExistingWith
	}
	x, err := open(cfg)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, x.Close(context.WithoutCancel(a.ctx))) }()
	if all, err := tokens.List(); err != nil {
		return err
	} else if len(all) == 0 && !c.inspecting {
		a.tell("there is no token yet; make one with: ebb token add NAME --user USER")
	}
	report := func(err error) { a.tellFault("serve", err) }
	url := ""
	announce := func(path string) {
		fmt.Fprintf(a.stdout, "Look at it (the link opens once, within ten minutes): %s%s\n", url, path)
	}
	page, err := inspector.New(x, inspector.Options{Scope: scope, Write: c.Write, Retention: cfg.Ranking.Retention, Location: a.location, Announce: announce, Report: report, Reflects: a.profile.name == "fourstores"})
	if err != nil {
		return err
	}
	options := server.Options{
		Version: build.Read().Version, Hosts: c.Host, MaxBody: c.MaxBody, Rate: c.Rate, Report: report, Page: page.Handler(),
		CertFile: c.TLSCert, KeyFile: c.TLSKey, Reflects: a.profile.name == "fourstores",
		Ready: func(at string) error {
			url = at
			_, err := fmt.Fprintf(a.stdout, "Serving %s on %s\n", extension.Redacted(a.db), url)
			announce(page.Link())
			return err
		},
	}
	if !c.inspecting && !extension.IsServer(a.db) { // other programs may open a server themselves
		options.DB, options.Key = a.db, a.key
	}
	s, err := server.New(x, tokens, options)
	if err != nil {
		return err
	}
	return s.ListenAndServe(a.ctx, c.Listen)
}

type tokenCmd struct {
	Add    tokenAddCmd    `cmd:"" help:"Create a token and print it, once."`
	List   tokenListCmd   `cmd:"" help:"List the tokens; the file holds only their hashes."`
	Revoke tokenRevokeCmd `cmd:"" help:"Revoke a token. A running server refuses it immediately."`
}

type (
	tokenAddCmd struct {
		Name       string `arg:"" help:"Name of the token, such as \"laptop\"."`
		Service    bool   `help:"For several users: each request names one in the header Ebb-User."`
		As         string `enum:"host,client,metrics" default:"client" help:"Trust of messages with role user: host (the user's own) or client (a model's; default). metrics: for /metrics alone, of no user."`
		WriteTurns bool   `help:"Offer record_turn at /mcp."`
	}
	tokenListCmd   struct{}
	tokenRevokeCmd struct {
		Name string `arg:"" help:"The token's name."`
	}
)

// Run implements the command.
func (c *tokenAddCmd) Run(a *app) error {
	tokens, err := server.TokensFor(a.db)
	if err != nil {
		return err
	}
	t := server.Token{Name: c.Name, User: a.user, Tenant: a.tenant, Service: c.Service, Host: c.As == "host", WriteTurns: c.WriteTurns, Metrics: c.As == "metrics"}
	switch ofAll := c.Service || t.Metrics; {
	case ofAll && (a.user != "" || a.tenant != ""):
		return &usageError{"a token with --service or --as metrics is of no user: leave out --user and --tenant, and where EBB_USER is set unset it or add --user=''"}
	case !ofAll && a.user == "":
		return &usageError{"say whose memory it is for with --user, or --service for a program that acts for several users"}
	}
	token, err := tokens.Add(t)
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
	tokens, err := server.TokensFor(a.db)
	if err != nil {
		return err
	}
	all, err := tokens.List()
	if err != nil {
		return err
	}
	if a.json {
		return a.printJSON(append([]server.Token{}, all...))
	}
	p := a.page()
	rows := make([][]string, len(all))
	for i, t := range all {
		rows[i] = []string{cells.OneLine(t.Name, 40), cells.OneLine(t.Whose(), 60), t.Created.In(a.zone()).Format("2006-01-02 15:04")}
	}
	if len(rows) == 0 {
		p.Line("There is no token; ebb token add NAME makes one.")
	}
	p.Table("", rows)
	return p.Err
}

// Run implements the command.
func (c *tokenRevokeCmd) Run(a *app) error {
	tokens, err := server.TokensFor(a.db)
	if err != nil {
		return err
	}
	return notFoundAs(tokens.Revoke(c.Name), fmt.Sprintf("no token is called %q; ebb token list prints their names", c.Name))
}
