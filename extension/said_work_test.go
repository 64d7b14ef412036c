package extension

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/schema"
)

// What somebody switched from one thing to another ends the one, not everything that is used, and
// who moved to another tool has not moved house.
func TestSwitchesEndOnlyWhatTheyName(t *testing.T) {
	for _, c := range []struct {
		says, switches, ends string
	}{
		{"We use Postgres 16 now.", "I've switched from VS Code to Neovim.", ""},
		{"I use VS Code.", "I've switched from VS Code to Neovim.", "I use VS Code."},
		{"Ich benutze eine Insulinpumpe.", "Ich bin von Chrome auf Firefox umgestiegen.", ""},
		{"Ich benutze Chrome.", "Ich bin von Chrome auf Firefox umgestiegen.", "Ich benutze Chrome."},
		{"Uso Linux.", "Me he cambiado de Slack a Teams.", ""},
		{"I live in Bremen.", "I moved from Gradle to Bazel.", ""},
		{"I live in Bremen with my girlfriend.", "We moved to Kubernetes.", ""},
		{"I live in Bremen.", "I moved to Neovim.", ""},
		{"Vivo en Bilbao.", "Nos mudamos a Kubernetes.", ""},
		{"I live in Bremen.", "I moved to Oslo.", "I live in Bremen."},
	} {
		l := newDiary(t)
		l.says(c.says)
		l.says(c.switches)
		ended := ""
		all, err := l.x.Timeline(t.Context(), dora, TimelineQuery{Kinds: []Kind{schema.KindFact, schema.KindPreference}})
		require.NoError(t, err)
		for _, m := range all {
			if m.State == schema.StateSuperseded {
				ended = m.Content
			}
		}
		require.Equal(t, c.ends, ended, c.switches)
	}
}

// Code, logs and data that are pasted state nothing of the user.
func TestPastedCodeStatesNothing(t *testing.T) {
	for _, pasted := range []string{
		`const myName = "Bob"; // my name is Bob`, "// My boss is Stefan.", "return <p>I'm allergic to nuts</p>;", "2026-03-08 10:00:01 INFO I live in Hamburg - user 12",
		"ERROR my.package.Service: I live in Paris", `{"note": "I live in Malmö"}`, "SELECT name FROM users WHERE note = 'I live in Rome'", "/* I live in Paris and work at ACME */",
		"func name() string {\n\treturn \"I am Bob\"\n}",
	} {
		l := newDiary(t)
		l.says(pasted)
		require.Empty(t, l.claimed(), pasted)
	}
}

// Orders about code, texts and data forget nothing that is remembered, nor does what programs shall
// not store hide a message.
func TestOrdersAboutThingsForgetNothing(t *testing.T) {
	for _, c := range [][2]string{
		{"I'm severely allergic to nuts.", "Delete everything about nuts from the recipe fixtures"},
		{"Ich bin gegen Nüsse allergisch.", "Lösche alles über Nüsse aus den Testdaten."},
		{"My user id is 42.", "Delete my user id from the code."},
		{"We deploy on Mondays.", "Delete the Monday deploy job from cron."},
		{"Our SLA is 99.9.", "delete the SLA section"},
		{"We use git.", "Forget the last commit."},
		{"We use Redis.", "Entferne Redis aus der docker-compose.yml"},
		{"We store sessions in Redis.", "please don't save the file yet"},
		{"We store sessions in Redis.", "Save this in memory: the gateway port is 7002"},
		{"We store sessions in Redis.", "Speicher in deinem Gedächtnis: der Gateway-Port ist 7004"},
	} {
		l := newDiary(t)
		l.turns("u: "+c[0], "a: Okay.", "u: "+c[1], "a: Done, removed.")
		for _, text := range []string{c[0], "Okay.", c[1], "Done, removed."} {
			require.True(t, l.holds(text), "%q after %q", text, c[1])
		}
	}
}
