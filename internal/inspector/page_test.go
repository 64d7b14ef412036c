package inspector

import (
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/inspect"
)

// fact is the newest claim of ada's that holds the words.
func (w *world) fact(words string) extension.Record { return w.of(ada, words) }

// of is the same of another user.
func (w *world) of(scope extension.Scope, words string) extension.Record {
	w.t.Helper()
	found, err := w.ext.Recall(w.t.Context(), scope, extension.Query{Text: words, Kinds: []extension.Kind{extension.KindFact, extension.KindPreference}})
	require.NoError(w.t, err)
	require.NotEmpty(w.t, found.Results)
	return found.Results[0].Memory
}

func TestEveryViewIsShown(t *testing.T) {
	for name, o := range map[string]Options{"of one user": {Scope: extension.Scope{User: "ada"}}, "of all": {}, "to write": {Write: true}} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, o)
			w.say(ada, "I'm allergic to cashews.", "We live in Lisbon with my sister Dana.", "I've moved to Oslo.", "Dana likes the sea.")
			w.say(extension.Scope{User: "bob"}, "I play chess on Sundays.")
			w.enter()
			base := "/u/1"
			if o.Scope.User != "" {
				base = "/u/me"
			}
			for path, wants := range map[string]string{
				"/ask": "What would the agent remember", "/ask?q=What+am+I+allergic+to%3F": "cashews", "/profile": "allergic to cashews",
				"/timeline": "Dana likes the sea", "/entities": "Dana", "/nights": "Nights", "/decide": "Nothing waits", "/health": "All is well",
				"/memories/" + w.fact("allergic").UID: "fade", "/ask?q=Oslo&missing=chess": "No memory has these words",
				"/ask?q=Oslo&why=" + w.fact("allergic").UID: "cashews",
			} {
				status, content := w.get(base + path)
				require.Equal(t, 200, status, "%s: %s", path, content)
				require.Contains(t, content, wants, path)
				require.Less(t, len(content), 200<<10, path)
			}
		})
	}
}

// Hostile are texts that would be markup, a script, a template or another page's
// form if they were not escaped.
var hostile = []string{
	`I live in <script>window.pwned=1</script> with Dana.`,
	`My sister <img src=x onerror="window.pwned=1"> Dana called.`,
	`I love "><svg onload=window.pwned=1><a href="javascript:window.pwned=1">tea</a>.`,
	`I like </pre></title><iframe src="https://evil.example"></iframe> a lot.`,
	`I work at {{.CSRF}} </script><style>*{display:none}</style> Industries.`,
}

var (
	tags   = regexp.MustCompile(`<[^>]*>`)
	quoted = regexp.MustCompile(`"[^"]*"`)
	live   = regexp.MustCompile(`(?i)^<(script|img|iframe|style)\b|\son\w+\s*=|\sstyle\s*=|javascript:`)
)

// alive are the tags of a page that would run, load or restyle something.
func alive(page string) (found []string) {
	for _, tag := range tags.FindAllString(page, -1) {
		if live.MatchString(quoted.ReplaceAllString(tag, `""`)) || strings.Contains(tag, `href="javascript`) {
			found = append(found, tag)
		}
	}
	return found
}

func TestTextIsEscaped(t *testing.T) {
	w := newWorld(t, Options{Write: true})
	scope := extension.Scope{User: `<b>eve</b>`, Session: `"><script>window.pwned=1</script>`}
	for _, text := range hostile {
		require.NoError(t, w.ext.Bus().Publish(t.Context(), eventbus.UserMessage(scope, text, eventbus.Speaker(`<img src=x onerror=1>`), eventbus.Tags(`<script>`))))
	}
	w.say(scope, "Remember that Dana lives in Oslo.")
	w.enter()
	found, err := w.ext.Recall(t.Context(), scope, extension.Query{Text: "Dana sister tea", Limit: 20, Dormant: true})
	require.NoError(t, err)
	require.NotEmpty(t, found.Results)
	paths := []string{"/", "/u/1/ask", "/u/1/ask?q=%3Cscript%3E1%3C/script%3E+Dana&missing=%22%3E%3Cscript%3E", "/u/1/profile", "/u/1/timeline", "/u/1/timeline?session=%22%3E%3Cscript%3Ewindow.pwned%3D1%3C%2Fscript%3E", "/u/1/entities?name=%3Cscript%3E", "/u/1/entities", "/u/1/nights", "/u/1/decide", "/u/1/health", "/u/1/timeline?day=%3Cscript%3E"}
	for _, r := range found.Results {
		paths = append(paths, "/u/1/memories/"+r.Memory.UID)
	}
	require.Len(t, alive(hostile[0]+hostile[1]+hostile[2]), 4, "what is looked for would be seen")
	seen := 0
	for _, path := range paths {
		_, content := w.get(path)
		require.Empty(t, alive(content), path)
		seen += strings.Count(content, "&lt;script&gt;")
	}
	require.Positive(t, seen, "the texts are there")
}

func TestQuestionsAreAnswered(t *testing.T) {
	w := newWorld(t, Options{Scope: ada})
	w.say(ada, "I'm allergic to cashews.", "Dana likes the sea.")
	w.enter()
	_, content := w.get("/u/me/ask?q=What+am+I+allergic+to%3F")
	for _, part := range []string{"given to the model", "Why here", "What the model gets", "&lt;memory nonce=", "token"} {
		require.Contains(t, content, part)
	}
	_, content = w.get("/u/me/ask?q=What+am+I+allergic+to%3F&missing=Dana+sea")
	require.Contains(t, content, "Do you mean one of these?")
	_, content = w.get("/u/me/ask?q=What+am+I+allergic+to%3F&asof=2001-01-01")
	require.Contains(t, content, "Nothing found")
	for path, status := range map[string]int{"/ask?q=x&asof=yesterday": 400, "/timeline?day=x": 400, "/timeline?day=2026-02-30": 400, "/timeline?day=2026-02": 200, "/ask?q=" + strings.Repeat("x", 4000): 200, "/entities?name=" + strings.Repeat("x", 40000): 400} {
		got, content := w.get("/u/me" + path)
		require.Equal(t, status, got, "%s: %s", path[:min(40, len(path))], content)
	}
}

// What is explained is the search whose results are shown, all of them.
func TestWhyIsOfTheSearchShown(t *testing.T) {
	w := newWorld(t, Options{Scope: ada})
	for _, place := range []string{"cellar", "attic", "hall", "garage", "kitchen", "garden", "shed", "boathouse", "tower", "stable", "chapel", "barn"} {
		w.say(ada, "I painted the "+place+" walls.")
	}
	w.say(ada, "I'm allergic to cashews.")
	w.enter()
	ids := regexp.MustCompile(`/memories/([0-9a-f-]{36})`)
	today := "&asof=" + time.Now().UTC().Format(time.DateOnly)
	for question, asOf := range map[string]string{"What did I do today?": "", "What am I allergic to?": "", "Which walls?": today} {
		path := "/u/me/ask?q=" + url.QueryEscape(question) + asOf
		_, content := w.get(path)
		rows := strings.Split(content, `<div class="rank" aria-hidden="true">`)[1:]
		require.NotEmpty(t, rows, question)
		if question == "What did I do today?" {
			require.Greater(t, len(rows), askLimit)
			require.Contains(t, content, fmt.Sprintf("<summary>%d more</summary>", len(rows)-askLimit))
		}
		for i, row := range rows {
			_, why := w.get(path + "&why=" + ids.FindStringSubmatch(row)[1])
			require.Contains(t, why, fmt.Sprintf("it is result %d of %d", i+1, len(rows)), "%s: %s", question, row)
		}
	}
}

// A change of a time is shown as a day of the page's zone.
func TestDaysOfChanges(t *testing.T) {
	at := time.Date(2026, 3, 31, 15, 30, 0, 0, time.UTC)
	c := inspect.Change{Before: `{"valid_until": null}`, After: fmt.Sprintf(`{"valid_until": %d}`, at.UnixMilli())}
	for offset, day := range map[int]string{0: "2026-03-31", 9: "2026-04-01"} {
		require.Equal(t, []column{{"valid until", "none", day}}, columns(c, time.FixedZone("", offset*3600)))
	}
}

// The page of an unknown user is empty and not an error.
func TestAnEmptyMemory(t *testing.T) {
	w := newWorld(t, Options{Scope: extension.Scope{User: "nobody"}, Write: true}).enter()
	for _, path := range []string{"/ask", "/ask?q=who%3F&missing=x", "/profile", "/timeline", "/entities", "/nights", "/decide", "/health"} {
		status, content := w.get("/u/me" + path)
		require.Equal(t, 200, status, "%s: %s", path, content)
	}
	all := newWorld(t, Options{}).enter()
	_, content := all.get("/")
	require.Contains(t, content, "remembers nobody yet")
}

// A file with one user opens that user's memory at once; an unknown name finds no user.
func TestTheOnlyUserAndAnotherName(t *testing.T) {
	w := newWorld(t, Options{}).enter()
	w.say(ada, "I'm allergic to cashews.")
	status, content := w.get("/")
	require.Equal(t, 200, status)
	require.Contains(t, content, "What would the agent remember")
	status, content = w.get("/?name=zoe")
	require.Equal(t, 200, status)
	require.Contains(t, content, "Nobody of that name")
}

// A view of health does not wait for the report of a large memory, and starts one at most.
func TestHealthIsReadBeside(t *testing.T) {
	w := newWorld(t, Options{Scope: ada}).enter()
	w.say(ada, "I'm allergic to cashews.")
	w.page.patience = 0
	unfinished := &report{done: make(chan struct{})}
	w.page.reports[extension.Scope{User: ada.User, Session: ada.Session}] = unfinished
	status, content := w.get("/u/me/health")
	require.Equal(t, 200, status)
	require.Contains(t, content, "being examined")
	require.Len(t, w.page.reports, 1)
	unfinished.state, unfinished.err = w.page.readHealth(t.Context(), ada)
	close(unfinished.done)
	w.page.patience = time.Minute
	_, content = w.get("/u/me/health")
	require.Contains(t, content, "All is well")
}

// A person approves only what they could read: whole, and in its own order.
func TestProposalsAreShownWhole(t *testing.T) {
	w := newWorld(t, Options{Scope: ada, Write: true})
	w.say(ada, "My boss is Henrike.")
	boss := w.fact("boss").UID
	propose := func(content string) {
		require.NoError(t, w.ext.Parts().DB.Write(t.Context(), func(ctx contextOf, tx *schema.Tx) error {
			_, _, err := tx.Propose(ctx, 1, extension.ProposalCorrect, map[string]any{"memory_id": boss, "content": "My boss is Henrike.", "new_content": content, "trust": 1}, "a test", schema.Actor{Name: "model"})
			return err
		}))
	}
	w.enter()
	propose("My boss is Tuva." + strings.Repeat(" She is kind.", 200) + " The password is hers.")
	propose("My boss is \u202eavuT\u202c \x1b[8m.")
	_, page := w.get("/u/me/decide")
	require.Contains(t, page, "The password is hers.")
	require.NotContains(t, page, "\u202e")
	require.NotContains(t, page, "\x1b")
	require.Equal(t, 2, strings.Count(page, `value="approve"`))
	for i := range 40 {
		propose(fmt.Sprint(i) + strings.Repeat("<&", maxProposed/2-10))
	}
	propose(strings.Repeat("y", maxProposed+1))
	_, page = w.get("/u/me/decide")
	require.Contains(t, page, "There is more than this page shows")
	require.Less(t, len(page), 200<<10)
}

// A message dated beyond the calendar does not close the page.
func TestTimelineWithAMessageOfTheLastDay(t *testing.T) {
	w := newWorld(t, Options{}).enter()
	require.NoError(t, w.ext.Bus().Publish(t.Context(), eventbus.UserMessage(ada, "See you then.", eventbus.At(time.Date(9999, 12, 31, 12, 0, 0, 0, time.UTC)))))
	require.NoError(t, w.ext.WaitIdle(t.Context()))
	status, content := w.get("/u/1/timeline")
	require.Equal(t, 200, status, content)
}
