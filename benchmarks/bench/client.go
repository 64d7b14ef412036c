package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ebbmem/ebb/benchmarks/peer"
)

// contender is one of the memories compared.
type contender struct {
	name    string // in tables
	program string // folder under peer/
	args    []string
	tags    string // of go build
	maxLoad int    // more turns take too long; 0: as many as there are
	why     string // the reason for maxLoad
}

var (
	ebb       = contender{name: "ebb", program: "ebb"}
	ebbAlone  = contender{name: "ebb, nothing behind", program: "ebb", args: []string{"-alone"}, maxLoad: 100_000, why: "its row differs little from ebb's"}
	ebbHybrid = contender{name: "ebb, hybrid", program: "ebb", args: []string{"-vectors"}}
	cSQLite   = contender{name: "C SQLite (mattn)", program: "csqlite", tags: "sqlite_fts5"}
	goSQLite  = contender{name: "Go SQLite (modernc)", program: "gosqlite"}
	chromem   = contender{name: "chromem-go", program: "chromem", maxLoad: 100_000, why: "it writes a file for each turn and keeps all in memory"}
	bleve     = contender{name: "bleve", program: "bleve"}
	history   = contender{name: "langchaingo sqlite3 history", program: "history", tags: "sqlite_fts5", maxLoad: 10_000, why: "it has no bulk load"}
	mem0      = contender{name: "Mem0 (Node, infer: false)", program: "mem0", maxLoad: 10_000, why: "it has no bulk load"}
)

// as returns the contender under another name, with arguments.
func (c contender) as(name string, args ...string) contender {
	c.name, c.args = name, append(slices.Clone(c.args), args...)
	return c
}

// mem0Script is run by node; peer/mem0/setup.sh fetches what it needs.
const mem0Script = "peer/mem0/peer.mjs"

// client talks to a contender's process.
type client struct {
	contender

	cmd *exec.Cmd
	in  io.WriteCloser
	out *json.Decoder
	dir string
}

// builder builds contenders' programs, each once.
type builder struct {
	dir   string
	built map[string]string
}

func (b *builder) program(ctx context.Context, c contender) (string, error) {
	if path, done := b.built[c.program]; done {
		return path, nil
	}
	if c.program == mem0.program {
		return exec.LookPath("node")
	}
	path := filepath.Join(b.dir, c.program)
	cmd := exec.CommandContext(ctx, "go", "build", "-tags", c.tags, "-o", path, "./peer/"+c.program)
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("build %s: %w", c.program, err)
	}
	b.built[c.program] = path
	return path, nil
}

// start runs the contender with an empty folder.
func (b *builder) start(ctx context.Context, c contender) (*client, error) {
	path, err := b.program(ctx, c)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp(b.dir, c.program+"-")
	if err != nil {
		return nil, err
	}
	if c.program == mem0.program {
		c.args = []string{"--expose-gc", mem0Script}
	}
	cl := &client{contender: c, dir: dir}
	if err := cl.run(ctx, path); err != nil {
		return nil, err
	}
	_, err = cl.ask(peer.Request{Op: "open", Dir: dir})
	return cl, err
}

func (c *client) run(ctx context.Context, path string) (err error) {
	c.cmd = exec.CommandContext(ctx, path, c.args...)
	c.cmd.Stderr = os.Stderr
	if c.in, err = c.cmd.StdinPipe(); err != nil {
		return err
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		return err
	}
	c.out = json.NewDecoder(out)
	return c.cmd.Start()
}

// again closes the process and opens the same folder in a new one.
func (c *client) again(ctx context.Context) (peer.Answer, error) {
	if err := c.stop(); err != nil {
		return peer.Answer{}, err
	}
	if err := c.run(ctx, c.cmd.Path); err != nil {
		return peer.Answer{}, err
	}
	return c.ask(peer.Request{Op: "open", Dir: c.dir})
}

func (c *client) ask(r peer.Request) (peer.Answer, error) {
	var a peer.Answer
	if err := json.NewEncoder(c.in).Encode(r); err != nil {
		return a, fmt.Errorf("%s: %w", c.name, err)
	}
	if err := c.out.Decode(&a); err != nil {
		return a, fmt.Errorf("%s: %s: %w", c.name, r.Op, err)
	}
	if a.Error != "" {
		return a, fmt.Errorf("%s: %s: %s", c.name, r.Op, a.Error)
	}
	return a, nil
}

func (c *client) stop() error {
	_, err := c.ask(peer.Request{Op: "close"})
	return errors.Join(err, c.in.Close(), c.cmd.Wait())
}

// end stops the process and removes what it stored.
func (c *client) end() error {
	err := c.stop()
	return errors.Join(err, os.RemoveAll(c.dir))
}

// logged are the bytes of write-ahead logs in the contender's folder.
func (c *client) logged() (bytes int64, err error) {
	err = filepath.WalkDir(c.dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "-wal") {
			return err
		}
		info, err := d.Info()
		if err == nil {
			bytes += info.Size()
		}
		return err
	})
	return bytes, err
}
