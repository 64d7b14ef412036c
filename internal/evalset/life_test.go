package evalset_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/internal/evalset"
)

const lifeFile = `{"life":"a","language":"en","user":"ada","speaker":"Ada","zone":"Europe/Oslo","start":"2025-03-03","days":366}
{"everyday":"Had {dish} again.","reply":"Nice."}
{"slots":{"dish":["soup","rice"]}}
{"id":"old","day":0,"time":"09:00","session":"s","text":"I live in Bergen.","keys":["bergen"]}
{"id":"new","day":20,"time":"09:00","session":"t","text":"I've moved to Oslo.","keys":["Oslo"],"changes":"old"}
{"id":"secret","day":2,"time":"09:00","session":"s","text":"I see a therapist.","keys":["therapist"]}
{"id":"hide","day":40,"time":"09:00","session":"u","text":"Forget the therapist, please.","forgets":["secret"]}
{"id":"q1","kind":"changed","ask":"Where is home?","about":["old","new"]}
{"id":"q2","kind":"forgotten","ask":"Who helps me?","about":["secret"]}
{"id":"q3","kind":"off","ask":"Is water wet?","about":[]}
{"id":"q4","kind":"said","ask":"Do I talk to anybody?","about":["secret"]}
{"id":"q5","kind":"time","ask":"What happened yesterday?","about":["new"],"day":21}
`

func writeLife(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "life.jsonl")
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

func TestWhatIsDueOnADay(t *testing.T) {
	life, err := evalset.LoadLife(writeLife(t, lifeFile))
	require.NoError(t, err)
	ids := func(list []*evalset.Statement) (ids []string) {
		for _, s := range list {
			ids = append(ids, s.ID)
		}
		return ids
	}
	for _, c := range []struct {
		day    int
		due    []string
		wanted map[string][]string
	}{
		{0, nil, nil},
		{1, []string{"q1", "q3"}, map[string][]string{"q1": {"old"}}},
		{21, []string{"q5"}, map[string][]string{"q5": {"new"}}},
		{30, []string{"q1", "q3", "q4"}, map[string][]string{"q1": {"new"}, "q4": {"secret"}}},
		{90, []string{"q1", "q2", "q3"}, map[string][]string{"q1": {"new"}}}, // what is forgotten is not wanted any more
	} {
		var due []string
		for _, a := range life.Due(c.day, life.Midnight(c.day).Add(21*time.Hour)) {
			due = append(due, a.ID)
			assert.Equal(t, c.wanted[a.ID], ids(a.Wanted), "%d %s", c.day, a.ID)
			if a.ID == "q1" && c.day > 20 {
				assert.Equal(t, []string{"old"}, ids(a.Stale))
			}
			if a.ID == "q2" {
				assert.Equal(t, []string{"secret"}, ids(a.Harmful))
			}
		}
		assert.Equal(t, c.due, due, "day %d", c.day)
	}
	at, message, reply := life.Small(3, 0)
	assert.Contains(t, []string{"Had soup again.", "Had rice again."}, message)
	assert.Equal(t, "Nice.", reply)
	assert.Equal(t, life.Midnight(3).Format(time.DateOnly), at.Format(time.DateOnly))
}

func TestStatementNeedsAllKeys(t *testing.T) {
	s := evalset.Statement{Keys: []string{"Dr. Lund", "dentist"}}
	assert.True(t, s.Shown(evalset.Lines("x\n[m1] My DENTIST is Dr. Lund\n")))
	assert.False(t, s.Shown(evalset.Lines("my dentist\nis Dr. Lund\n")))
	assert.True(t, s.Shown(evalset.Lines(`{"text":"my dentist, \"Dr. Lund\""}`)))
	assert.False(t, (&evalset.Statement{}).Shown([]string{"anything"}), "without keys nothing can show it")
	code := &evalset.Statement{Keys: []string{"5521"}}
	assert.False(t, code.Shown(evalset.Lines("[m55210] Tue 2026-11-24 00:19 user: hello\n[m5521] so\nsee m15521")), "an id is drawn anew in each run")
	assert.True(t, code.Shown(evalset.Lines("[m10000] 155210, and 5521.")))
}

func TestInvalidLife(t *testing.T) {
	for _, c := range []struct{ name, content, reason string }{
		{"no zone", `{"life":"a","user":"a","start":"2025-03-03","days":3}`, "zone"},
		{"unknown statement", lifeFile + `{"id":"q9","kind":"said","ask":"What?","about":["nothing"]}`, `"nothing"`},
		{"unknown kind", lifeFile + `{"id":"q9","kind":"odd","ask":"What?","about":["old"]}`, `"odd"`},
		{"no time", lifeFile + `{"id":"x","text":"Hello."}`, "time"},
		{"empty line object", lifeFile + `{}`, "no everyday template"},
	} {
		_, err := evalset.LoadLife(writeLife(t, c.content))
		require.Error(t, err, c.name)
		assert.Contains(t, err.Error(), c.reason, c.name)
	}
	_, err := evalset.LoadLives(t.TempDir())
	require.ErrorContains(t, err, "no *.jsonl")
}

func TestOurOwnLives(t *testing.T) {
	for _, folder := range []string{"lives", "fresh"} {
		lives, err := evalset.LoadLives("../../cmd/ebb/testdata/" + folder)
		require.NoError(t, err)
		for _, life := range lives {
			assert.GreaterOrEqual(t, len(life.Statements), 60, life.Name)
			assert.GreaterOrEqual(t, len(life.Questions), 60, life.Name)
		}
	}
}
