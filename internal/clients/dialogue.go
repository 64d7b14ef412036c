package clients

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"io"
	"strings"
)

// Dialogue shows a change of a client's configuration, asks for confirmation, and
// writes it.
type Dialogue struct {
	Client *Client
	Path   string
	In     io.Reader
	Out    io.Writer
	Ask    io.Writer // receives the questions
	DryRun bool      // write nothing and ask nothing
	Yes    bool      // ask nothing
	Next   string    // is shown when the entry was written; default nothing

	answers *bufio.Scanner
}

// yes asks a question. Any answer other than y or yes means no, and so does the end of
// the input.
func (d *Dialogue) yes(question string) bool {
	if d.answers == nil {
		d.answers = bufio.NewScanner(d.In)
	}
	_, _ = fmt.Fprint(d.Ask, question+" [y/N] ") // if this fails, no answer means no
	if !d.answers.Scan() {
		return false
	}
	answer := strings.ToLower(strings.TrimSpace(d.answers.Text()))
	return answer == "y" || answer == "yes"
}

// Trusts asks whether the client serves only this user. With Yes or DryRun it returns
// false without asking.
func (d *Dialogue) Trusts(user string) bool {
	return !d.Yes && !d.DryRun && d.yes("Is "+user+" the only person who uses "+d.Client.Title+"? Then what "+user+" writes there is recorded as "+user+"'s own word,\n"+
		"and so is a message that a web page persuades the model to record.")
}

// Set adds or replaces ebb's entry.
func (d *Dialogue) Set(e Entry) error {
	before, err := Read(d.Path)
	if err != nil {
		return err
	}
	after, err := d.Client.Set(before, e)
	if err != nil {
		return fmt.Errorf("%s: %w", d.Path, err)
	}
	if bytes.Equal(before, after) {
		return d.say("%s is as it should be already.\n", d.Path)
	}
	entry, err := d.Client.Set(nil, e)
	if err != nil {
		return err
	}
	return d.write(before, after, string(bytes.TrimRight(entry, "\n")), d.Next)
}

// Remove removes ebb's entry.
func (d *Dialogue) Remove() error {
	before, err := Read(d.Path)
	if err != nil {
		return err
	}
	after, found, err := d.Client.Remove(before)
	if err != nil {
		return fmt.Errorf("%s: %w", d.Path, err)
	}
	if !found {
		return d.say("%s does not start ebb; nothing to remove in %s.\n", d.Client.Title, d.Path)
	}
	return d.write(before, after, "without "+d.Client.key+"."+entryName, "")
}

// write shows the change and replaces the file, unless the client has written it
// meanwhile. It shows nothing else of the file, which may contain the keys of other
// servers.
func (d *Dialogue) write(before, content []byte, change, next string) error {
	rest := ""
	if len(bytes.TrimSpace(before)) > 0 {
		rest = "Everything else in the file stays as it is.\n"
	}
	if err := d.say("%s:\n%s\n%s", d.Path, change, rest); err != nil || d.DryRun {
		return err
	}
	if !d.Yes && !d.yes("Write it?") {
		return d.say("Nothing was written.\n")
	}
	if now, err := Read(d.Path); err != nil || !bytes.Equal(now, before) {
		return cmp.Or(err, fmt.Errorf("%s was changed meanwhile, and nothing was written; run the command again", d.Path))
	}
	if err := Write(d.Path, content); err != nil {
		return err
	}
	return d.say("Written. Restart %s.\n%s", d.Client.Title, next)
}

func (d *Dialogue) say(format string, args ...any) error {
	_, err := fmt.Fprintf(d.Out, format, args...)
	return err
}
