package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/ebbmem/ebb/cmd/ebb/demo"
)

type demoCmd struct {
	Keep string `type:"path" placeholder:"FILE" help:"Save the demo's memory in this file, which must not exist."`
}

// Help says what is simulated.
func (demoCmd) Help() string {
	return `Everything shown is done by a real memory in a temporary file. Only the clock is simulated, so that weeks pass in seconds, and the model, which has one scripted answer. No terminal, network or key is needed. Always prints text.`
}

func (c *demoCmd) Run(a *app) (err error) {
	path := c.Keep
	if path == "" {
		dir, err := os.MkdirTemp("", "ebb-demo-*")
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
		path = filepath.Join(dir, "memory.db")
	} else if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		return &usageError{fmt.Sprintf("--keep %s exists already; name a file that does not", path)}
	}
	return demo.Run(a.ctx, a.page().Page, a.stderr, path)
}
