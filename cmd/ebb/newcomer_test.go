package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/internal/cells"
	"github.com/ebbmem/ebb/internal/llmtest"
	"github.com/ebbmem/ebb/internal/racing"
)

var update = flag.Bool("update", false, "write the screens of the newcomer's path as they are now to testdata/newcomer")

// The newcomer's path: the README's quick start and what people type beside it,
// in a real terminal of three widths. What the terminal shows after each line is a
// golden file.
func TestNewcomer(t *testing.T) {
	racing.Alone(t)
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("tmux is not installed, so no terminal can be driven (Debian: apt-get install tmux)")
	}
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("bash is not installed, so nothing can be typed into a shell")
	}
	bin := t.TempDir()
	build := exec.CommandContext(t.Context(), "go", "build", "-buildvcs=false", "-o", filepath.Join(bin, "ebb"), ".")
	out, err := build.CombinedOutput()
	require.NoError(t, err, "%s", out)
	for _, columns := range []int{60, 80, 120} {
		t.Run(fmt.Sprint(columns), func(t *testing.T) {
			t.Parallel()
			n := newNewcomer(t, bin, columns)
			n.walk()
			golden := filepath.Join("testdata", "newcomer", fmt.Sprintf("%d.txt", columns))
			got := n.screens.String()
			if *update {
				require.NoError(t, os.MkdirAll(filepath.Dir(golden), 0o750))
				require.NoError(t, os.WriteFile(golden, []byte(got), 0o600))
				return
			}
			want, err := os.ReadFile(golden)
			require.NoError(t, err)
			requireSameLines(t, string(want), got, "look at what a newcomer sees now; go test ./cmd/ebb -run Newcomer -update takes it over")
		})
	}
}

// requireSameLines shows the first line that differs, and what is above it.
func requireSameLines(t *testing.T, want, got, advice string) {
	t.Helper()
	wanted, shown := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i := range max(len(wanted), len(shown)) {
		if i >= len(wanted) || i >= len(shown) || wanted[i] != shown[i] {
			around := func(lines []string) string {
				return strings.Join(lines[min(len(lines), max(0, i-5)):min(len(lines), i+3)], "\n")
			}
			require.Failf(t, "another screen", "line %d: %s\nwant:\n%s\ngot:\n%s", i+1, advice, around(wanted), around(shown))
		}
	}
}

// newcomer types into a shell in a terminal of tmux, and keeps what it shows.
type newcomer struct {
	t       *testing.T
	columns int
	home    string // where the shell is; its name has the same length in every run
	server  *llmtest.Server
	screens strings.Builder
	kept    int               // lines of the terminal that are in screens
	broken  int               // lines that the terminal broke so far
	ids     map[string]string // public ids → what stands for them in the screens
}

// rows of the terminal; what scrolls away is kept.
const rows = 40

// bashrc gives each command the present that the file now holds, as --now does.
const bashrc = `PS1='$ '; HISTFILE=
ebb() { if [ $# -eq 0 ]; then command ebb; else command ebb --now "$(cat now)" "$@"; fi; }
`

func newNewcomer(t *testing.T, bin string, columns int) *newcomer {
	t.Helper()
	n := &newcomer{t: t, columns: columns, kept: -1, home: fmt.Sprintf("/tmp/ebb-%08x", uint32(time.Now().UnixNano())^uint32(columns)<<24), ids: make(map[string]string)}
	require.NoError(t, os.Mkdir(n.home, 0o700))
	t.Cleanup(func() { // the shell may still write
		require.Eventually(t, func() bool { return os.RemoveAll(n.home) == nil }, 10*time.Second, 10*time.Millisecond)
	})
	n.server = llmtest.New(t)
	n.write(".bashrc", bashrc)
	n.write(".tmux.conf", "set -g history-limit 100000")
	n.present("2026-03-02T18:00:00Z")
	n.tmux("-f", filepath.Join(n.home, ".tmux.conf"), "new-session", "-d", "-x", fmt.Sprint(columns), "-y", fmt.Sprint(rows), "-c", n.home,
		"env", "-i", "HOME="+n.home, "PATH="+bin+":"+os.Getenv("PATH"), "TERM=screen", "LANG=C.UTF-8", "TZ=UTC",
		"OPENAI_BASE_URL="+n.server.URL, "OPENAI_MODEL=scripted", "bash", "--rcfile", ".bashrc", "-i")
	t.Cleanup(func() { n.tmux("kill-server") })
	n.until(shell)
	n.kept = 0
	return n
}

func (n *newcomer) write(name, content string) {
	n.t.Helper()
	require.NoError(n.t, os.WriteFile(filepath.Join(n.home, name), []byte(content), 0o600))
}

// present sets what the clock says from the next command on.
func (n *newcomer) present(now string) { n.write("now", now) }

func (n *newcomer) tmux(args ...string) string {
	n.t.Helper()
	cmd := exec.Command("tmux", append([]string{"-S", filepath.Join(n.home, ".tmux")}, args...)...)
	cmd.Env = append(os.Environ(), "TMUX=", "LANG=C.UTF-8")
	out, err := cmd.CombinedOutput()
	require.NoError(n.t, err, "tmux %q: %s", args, out)
	return string(out)
}

// terminal is all that the terminal has shown, a line each. With -J for more, lines
// are joined that the terminal broke.
func (n *newcomer) terminal(more ...string) []string {
	n.t.Helper()
	shown := n.tmux(append([]string{"capture-pane", "-p", "-S", "-"}, more...)...)
	return strings.Split(strings.TrimRight(shown, " \n"), "\n")
}

// until waits for the last line of the terminal to be that, below the line typed
// last.
func (n *newcomer) until(last string) {
	n.t.Helper()
	var lines []string
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if lines = n.terminal(); len(lines) > n.kept+1 && lines[len(lines)-1] == last {
			return
		}
	}
	require.Failf(n.t, "no prompt", "waiting for %q:\n%s", last, strings.Join(lines[min(n.kept, len(lines)):], "\n"))
}

// types types a line, waits for the prompt that follows, and keeps what is shown
// in between.
func (n *newcomer) types(line, prompt string) {
	n.t.Helper()
	n.keys(line)
	n.until(prompt)
	n.keep()
}

// keys types a line.
func (n *newcomer) keys(line string) {
	n.t.Helper()
	n.tmux("send-keys", "-l", line)
	n.tmux("send-keys", "Enter")
}

// keep adds what the terminal has shown since the last prompt to the screens.
func (n *newcomer) keep() {
	n.t.Helper()
	lines, whole := n.terminal(), n.terminal("-J")
	typed := lines[n.kept]
	for _, line := range whole[n.kept-n.broken:] {
		if line = strings.TrimRight(line, " "); cells.Width(line) > n.columns && !mayBreak.MatchString(line) {
			n.t.Errorf("%s: a line is wider than the terminal: %s", typed, line)
		}
	}
	n.broken = len(lines) - len(whole)
	if typed != "$ ebb demo" { // has a test of its own
		for _, line := range lines[n.kept : len(lines)-1] {
			n.screens.WriteString(n.fixed(strings.TrimRight(line, " ")) + "\n")
		}
	}
	n.kept = len(lines) - 1
}

// mayBreak are lines that a terminal may break: JSON.
var mayBreak = regexp.MustCompile(`^\{"error"`)

// What differs between two runs.
var (
	anyID      = regexp.MustCompile(`[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}`)
	anySession = regexp.MustCompile(`(chat \d{4}-\d\d-\d\d \d\d:\d\d:\d\d) [a-z2-7]{4}`)
	anyHome    = regexp.MustCompile(`/tmp/ebb-[0-9a-f]{8}`)
	anyVersion = regexp.MustCompile(`^ebb .*, go\S+, .*`)
	anyScore   = regexp.MustCompile(`\d\.\d{3}\b`)
	anySize    = regexp.MustCompile(`\d+\.\d KiB`)
	anyNonce   = regexp.MustCompile(`nonce="\w{12}"`)
	anyShort   = regexp.MustCompile(`\[m\d{5}\]`)
	anyRate    = regexp.MustCompile(`in \d+\.\d s(, \d+ a second)?`)
	anyCursor  = regexp.MustCompile(`^(  ebb\.\w+ +)\d\d `)
	anyCode    = regexp.MustCompile(`--confirm [0-9a-f]{6}`)
)

// fixed puts the same signs, as many, in place of what differs between two runs.
func (n *newcomer) fixed(line string) string {
	line = anyID.ReplaceAllStringFunc(line, func(id string) string {
		if n.ids[id] == "" {
			n.ids[id] = fmt.Sprintf("00000000-0000-0000-0000-%012d", len(n.ids)+1)
		}
		return n.ids[id]
	})
	line = anySession.ReplaceAllString(line, "$1 aaaa")
	line = anyHome.ReplaceAllString(line, "/tmp/ebb-00000000")
	line = anyVersion.ReplaceAllString(line, "ebb VERSION, GO, PLATFORM")
	line = anySize.ReplaceAllString(line, "100.0 KiB")
	line = anyNonce.ReplaceAllString(line, `nonce="AAAAAAAAAAAA"`)
	line = anyRate.ReplaceAllString(line, "in 0.0 s, 100 a second")
	line = anyCursor.ReplaceAllString(line, "${1}00 ")
	line = anyCode.ReplaceAllString(line, "--confirm 000000")
	line = anyShort.ReplaceAllString(line, "[m00000]")
	return anyScore.ReplaceAllString(line, "0.000")
}

const (
	shell = "$"
	chat  = ">"
)

// walk is the path.
func (n *newcomer) walk() {
	n.types("ebb", shell)
	n.types("ebb --version", shell)
	for _, wrong := range []string{"ebb serch wedding", "ebb search", "ebb stats", "ebb search wedding --json", "ebb chat --colour", "ebb chat"} {
		n.types(wrong, shell)
	}
	n.chats()
	n.present("2026-03-03T09:00:00Z")
	for _, line := range []string{
		"ebb profile", `ebb search "when is the wedding?" -n 3`, `ebb explain "when is the wedding?" -n 1`, "ebb timeline", "ebb stats",
		"ebb consolidate", "ebb runs", "ebb proposals", "ebb quarantine", "ebb doctor",
	} {
		n.types(line, shell)
	}
	n.changes()
	for _, wrong := range []string{
		`ebb search wedding --since "ere long"`, "ebb search zeppelin -n 0", "ebb search zeppelin", "ebb show nonsense", "ebb search wedding --user aad",
		"ebb undo", "ebb import nowhere.jsonl", "ebb doctor nowhere.db", "ebb chat --provider ollama",
	} {
		n.types(wrong, shell)
	}
	if n.columns == 60 { // narrower than what TestDemo sees
		n.types("ebb demo", shell)
	}
}

// changes says, corrects and forgets by hand, imports and exports, and ends a chat
// with Ctrl-C.
func (n *newcomer) changes() {
	n.write("chats.jsonl", `{"id":"1","session":"tuesday","time":"2026-02-24T08:00:00Z","speaker":"Ada","role":"user","text":"My violin teacher Ottilie has moved to Utrecht; the lessons go on by video, on Fridays at four, and she says that I should practise the slow movement first."}
{"id":"2","session":"tuesday","time":"2026-02-24T08:01:00Z","speaker":"Butler","role":"assistant","text":"Then I will keep your Fridays free."}
this line is none
`)
	for _, line := range []string{
		"ebb import chats.jsonl", "ebb timeline --session tuesday", `ebb search lessons --since "last week" -n 1`,
		"ebb remember I live in Ghent", "ebb remember I live in Oslo", "ebb search \"where do I live?\" -n 2 --kind fact", "ebb forget cashews",
	} {
		n.types(line, shell)
	}
	var answer answerView
	got := ebb(n.t, "", "search", "cashews", "--kind", "fact", "--json", "--db", filepath.Join(n.home, "memory.db"))
	require.NoError(n.t, json.Unmarshal([]byte(got.out), &answer), got.err)
	id := answer.Results[0].Memory.UID
	for _, line := range []string{"ebb show " + id, "ebb protect " + id, "ebb forget " + id, "ebb undo --last", "ebb export --out ada.jsonl", "ebb erase --id " + id} {
		n.types(line, shell)
	}
	n.types("ebb chat", chat)
	n.tmux("send-keys", "C-c")
	n.until(shell)
	n.keep()
}

// chats talks with a scripted model, and stops one of its answers.
func (n *newcomer) chats() {
	n.server.On(llmtest.LastContains("sister Noor"), llmtest.Text("How lovely! I will remember the day, and that she marries in Ghent, where the two of you grew up."))
	n.server.On(llmtest.LastContains("cashews"), llmtest.Text("Noted: no cashews."))
	n.server.On(llmtest.LastContains("long story"), llmtest.Hang())
	n.server.On(llmtest.LastContains("wedding"), llmtest.Text("On 12 June, you said."))
	n.types("ebb chat --user ada", chat)
	n.types("/help", chat)
	n.types("I'm Ada. My sister Noor marries on 12 June in Ghent.", chat)
	n.settle()
	n.types("Never forget that I'm allergic to cashews.", chat)
	n.settle()
	n.types("/halp", chat)
	asked := len(n.server.Requests())
	n.keys("Tell me a long story.")
	require.Eventually(n.t, func() bool { return len(n.server.Requests()) > asked }, time.Minute, 10*time.Millisecond)
	n.tmux("send-keys", "C-c")
	n.until(chat)
	n.keep()
	n.types("When is the wedding?", chat)
	n.types("/why", chat)
	n.settle()
	n.types("/quit", shell)
}

// settle waits until what was said is read in the background: the order of what is
// stored is the same in every run then.
func (n *newcomer) settle() {
	n.t.Helper()
	behind := int64(-1)
	for deadline := time.Now().Add(time.Minute); behind != 0 && time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		var stats statsView
		got := ebb(n.t, "", "stats", "--json", "--db", filepath.Join(n.home, "memory.db"))
		require.NoError(n.t, json.Unmarshal([]byte(got.out), &stats), got.err)
		behind = 0
		for _, c := range stats.Health.Consumers {
			behind += c.Lag
		}
	}
	require.Zero(n.t, behind)
}
