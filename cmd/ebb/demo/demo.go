package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/ebbmem/ebb/cmd/ebb/records"
	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/internal/cells"
	"github.com/ebbmem/ebb/internal/clock"
)

// ErrNothingFound is returned by a demo in which no question was answered.
var ErrNothingFound = errors.New("no question brought back the turns that answer it: the memory does not work here")

// Run tells the story on p, with a memory in the file path, which must not exist.
// What fails in the memory's background goes to stderr.
func Run(ctx context.Context, p *cells.Page, stderr io.Writer, path string) (err error) {
	p.Location = time.UTC // the story's own
	d := &demo{Page: p, ctx: ctx, stderr: stderr, path: path, clock: new(clock.Simulated)}
	if err := d.load(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, d.close()) }()
	for _, scene := range []func() error{d.listen, d.restart, d.ask, d.prompt, d.asOf, d.forget, d.end} {
		if err := scene(); err != nil {
			return err
		}
		if d.Err != nil {
			return d.Err
		}
	}
	return nil
}

// demo tells one story from the first message to what is left weeks later.
type demo struct {
	*cells.Page

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
		d.Line("")
	}
	d.Line("%s", d.In(cells.Bold, fmt.Sprintf("%d. %s", d.scenes, title)))
	d.Line("")
}

func (d *demo) say(format string, args ...any) {
	d.Body("   ", "   ", fmt.Sprintf(format, args...))
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
		records.KindCounts(stats.Memories), cells.Count(stats.Sessions, "session", "sessions"), cells.Count(stats.Entities, "entity", "entities"))
	return nil
}

func (d *demo) end() error {
	d.scene("The count")
	d.say("%d of %d questions that the story answers brought back what answers them: %d of %d such turns, in the profile or among the %d results shown for each.",
		d.hits, d.asked, d.found, d.expected, shownPerQuestion)
	if d.hits == 0 {
		return ErrNothingFound
	}
	return nil
}
