package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/internal/clock"
)

type demoCmd struct {
	Keep string `type:"path" placeholder:"FILE" help:"Save the demo's memory in this file, which must not exist."`
}

// Help says what is simulated.
func (demoCmd) Help() string {
	return `Everything shown is done by a real memory in a temporary file. Only the clock is simulated, so that weeks pass in seconds, and the model, which has one scripted answer. No terminal, network or key is needed. Always prints text.`
}

var errNothingFound = errors.New("no question brought back the turns that answer it: the memory does not work here")

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
	d := &demo{page: a.page(), ctx: a.ctx, stderr: a.stderr, path: path, clock: new(clock.Simulated)}
	d.location = time.UTC // the story's own
	if err := d.load(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.close()) }()
	for _, scene := range []func() error{d.listen, d.restart, d.ask, d.prompt, d.asOf, d.forget, d.end} {
		if err := scene(); err != nil {
			return err
		}
		if d.err != nil {
			return d.err
		}
	}
	return nil
}

// demo tells one story from the first message to what is left weeks later.
type demo struct {
	*page

	ctx       context.Context
	stderr    io.Writer
	path      string
	clock     *clock.Simulated
	ext       *extension.Extension
	story     []storyTurn
	questions []storyQuestion
	turnOf    map[string]string // a message's id in the memory → its turn
	scenes    int
	untold    int // tool calls that were not printed
	hits      int // questions with an expected turn among those shown
	asked     int // questions that the story answers
	found     int // expected turns shown
	expected  int
}

func (d *demo) scene(title string) {
	if d.scenes++; d.scenes > 1 {
		d.line("")
	}
	d.line("%s", d.in(bold, fmt.Sprintf("%d. %s", d.scenes, title)))
	d.line("")
}

func (d *demo) say(format string, args ...any) {
	d.body("   ", "   ", fmt.Sprintf(format, args...))
}

func (d *demo) open() (err error) {
	d.ext, err = extension.Open(d.ctx, d.path, &extension.Config{
		Now: d.clock.Now, Location: time.UTC, Night: extension.NightConfig{NoSchedule: true},
		Hooks: extension.Hooks{OnError: func(source string, err error) {
			fmt.Fprintf(d.stderr, "ebb: memory (%s): %v\n", source, err)
		}},
	})
	return err
}

func (d *demo) close() error {
	if d.ext == nil {
		return nil
	}
	return d.ext.Close(context.WithoutCancel(d.ctx))
}

// as is the scope of the demo's user in one session.
func as(session string) extension.Scope { return extension.Scope{User: "ada", Session: session} }

// restart closes the file, as the end of a process does, and opens it again.
func (d *demo) restart() error {
	d.scene("Restart")
	if err := d.ext.WaitIdle(d.ctx); err != nil {
		return err
	}
	if err := d.close(); err != nil {
		return err
	}
	d.clock.Set(d.story[len(d.story)-1].Time.Add(10 * time.Hour))
	if err := d.open(); err != nil {
		return err
	}
	stats, err := d.ext.Stats(d.ctx, as(""))
	if err != nil {
		return err
	}
	d.say("Closed and opened again. The file holds %s in %s, linked to %s; text index, history and journal are in the same file.",
		kindCounts(stats.Memories), count(stats.Sessions, "session", "sessions"), count(stats.Entities, "entity", "entities"))
	return nil
}

func (d *demo) end() error {
	d.scene("The count")
	d.say("%d of %d questions that the story answers brought back what answers them: %d of %d such turns, in the profile or among the %d results shown for each.",
		d.hits, d.asked, d.found, d.expected, shownPerQuestion)
	if d.hits == 0 {
		return errNothingFound
	}
	return nil
}
