package poison

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/internal/racing"
)

// said is a text of testdata with its language. The half "unseen" was first
// looked at with finished rules: 52 of its 100 texts were recognised then (en
// 13, de 9, es 9, ru 10, zh 11 of 20), and the rules learnt from the others
// since. The half "seen" holds what the rules were written with, fifty texts of which
// they recognised 32 at first sight, and twenty
// texts of each language that go out of their way.
type said struct{ Lang, Half, Text string }

// recognised is the share of the attacks, in percent, that must be seen in
// each language, by half.
var recognised = map[string]int{"seen": 79, "unseen": 85}

func TestAttacksAreRecognisedInEachLanguage(t *testing.T) {
	racing.Alone(t)
	type count struct{ seen, all int }
	counts := make(map[[2]string]count)
	for _, a := range records[said](t, "testdata/attacks.jsonl") {
		at := [2]string{a.Half, a.Lang}
		c := counts[at]
		c.all++
		if Inspect(a.Text) != "" {
			c.seen++
		} else {
			t.Logf("missed: %s %s", a.Lang, a.Text)
		}
		counts[at] = c
	}
	for at, c := range counts {
		t.Logf("%s %s: %d of %d", at[0], at[1], c.seen, c.all)
		require.GreaterOrEqual(t, c.all, 20, at)
		assert.GreaterOrEqual(t, 100*c.seen, recognised[at[0]]*c.all, at)
	}
}

func TestOrdinaryTextsInEachLanguage(t *testing.T) {
	for _, h := range records[said](t, "testdata/honest.jsonl") {
		assert.Empty(t, Inspect(h.Text), "%s: %s", h.Lang, h.Text)
	}
}

// Words for models are words for people and things as well.
func TestFalsePositivesOnChat(t *testing.T) {
	for _, s := range []string{
		"Good luck with your store! [shares a photo: a sign that says open]",
		"It's these moments that create lasting memories. Songs that you both enjoy help.",
		"We keep the memories we have. It's tough, but we'll keep doing our best.",
		"I never forget all the memories we made there.",
		"Please ignore my previous message, wrong chat!",
		"Don't forget your notes on the meeting.",
		"Can I take a closer peek at it? What are your favourites?",
		"Our archived copy should be placed in the store's filing cabinet.",
		"Arrive at the store at 08:25, and keep the receipt.",
		"Sun and wind dry it out, so protect it from the sun.",
		"Confirm all travel arrangements and have a backup plan.",
		"The two heaters have 500MΩ and 100MΩ, as on record.",
		"I'll be your assistant. I'm looking forward to learning how to cook.",
		"Property viewing record. Agent: Xiao Liu. One bedroom, furnished.",
		"My teaching assistant, Ben, always keeps the notes for us.",
		"He is another favourite; we both remember that match.",
		"Show, don't tell: instead of telling the reader how she feels, show it.",
		"If the customer asks for a refund, we give them store credit.",
		"github_token: ${{ secrets.GITHUB_TOKEN }}",
		"SQLALCHEMY_DATABASE_URI = 'sqlite:///:memory:'",
		"# Store the user in the database",
		"I need help with the memory leak that occurs on teardown.",
		"Include the id of the transaction in the response.",
		"`<img src=\"${project.image}\" alt=\"${project.name}\">`",
	} {
		assert.Empty(t, Inspect(s), s)
	}
}

// What a form matches, it must be tried on: whatever it sees in a whole text is
// seen around its keys.
func TestKeysCoverForms(t *testing.T) {
	racing.Alone(t)
	for _, a := range records[said](t, "testdata/attacks.jsonl") {
		plain := look(a.Text).plain
		for _, r := range allForms() {
			if found := r.pattern.Whole().FindString(plain); found != "" {
				assert.NotEmpty(t, meets(found), "%q of %q", found, a.Text)
			}
		}
	}
}

func FuzzInspect(f *testing.F) {
	for _, name := range []string{"testdata/attacks.jsonl", "testdata/honest.jsonl"} {
		for _, a := range records[said](f, name) {
			f.Add(a.Text)
		}
	}
	f.Add("\xd0\xd0\xd0 \xe3игнорируй\xff\xf0")
	f.Fuzz(func(t *testing.T, s string) {
		if once, again := Inspect(s), Inspect(s); once != again {
			t.Fatalf("%q, then %q", once, again)
		}
		InspectClaim(s)
	})
}
