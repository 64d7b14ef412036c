package text

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// TestRecognizersCoverage measures TimeSpans against the specification files of
// Microsoft's Recognizers-Text (Specs/DateTime/English/*Parser.json), which are
// not part of this repository. It prints a table and asserts only that the files
// could be read: the figures are for people.
//
//	EBB_RECOGNIZERS=dir go test -run Recognizers -v ./internal/text
//
// Add EBB_RECOGNIZERS_MISSES=1 to list what was missed.
func TestRecognizersCoverage(t *testing.T) {
	dir := os.Getenv("EBB_RECOGNIZERS")
	if dir == "" {
		t.Skip("EBB_RECOGNIZERS does not name a folder with the Recognizers-Text specifications")
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.json"))
	require.NoError(t, err)
	require.NotEmpty(t, files, "no *.json in %s", dir)
	for _, file := range files {
		var score recognizerScore
		for _, c := range readRecognizers(t, file) {
			score.add(t, c)
		}
		t.Logf("%-24s expected %3d  found %3d  holds the start %3d  same start day %3d  same span %3d  false alarms %d of %d",
			filepath.Base(file), score.expected, score.found, score.holds, score.start, score.exact, score.alarms, score.empty)
	}
}

type recognizerCase struct {
	Input   string
	Context struct{ ReferenceDateTime string }
	Results []struct {
		Start, Length int
		Value         struct{ FutureResolution, PastResolution map[string]any }
	}
}

func readRecognizers(t *testing.T, file string) (cases []recognizerCase) {
	t.Helper()
	raw, err := os.ReadFile(file)
	require.NoError(t, err)
	raw = bytes.TrimPrefix(raw, []byte("\xef\xbb\xbf"))
	require.NoError(t, json.Unmarshal(raw, &cases))
	return cases
}

type recognizerScore struct{ expected, found, holds, start, exact, empty, alarms int }

func (r *recognizerScore) add(t *testing.T, c recognizerCase) {
	ref := time.Date(2016, 11, 7, 0, 0, 0, 0, time.UTC) // the files' own default
	if at := c.Context.ReferenceDateTime; at != "" {
		var err error
		ref, err = time.Parse("2006-01-02T15:04:05", at)
		require.NoError(t, err)
	}
	spans := TimeSpans(c.Input, ref)
	if len(c.Results) == 0 {
		r.empty++
		if len(spans) > 0 {
			r.alarms++
		}
		return
	}
	for _, want := range c.Results {
		r.expected++
		var found, holds, start, exact bool
		for _, s := range spans {
			if s.Offset >= want.Start+want.Length || s.Offset+len(s.Text) <= want.Start {
				continue
			}
			found = true
			for _, res := range []map[string]any{want.Value.PastResolution, want.Value.FutureResolution} {
				from, to := recognizerSpan(res)
				holds = holds || !from.IsZero() && !from.Before(s.Start) && from.Before(s.End)
				start = start || dayStart(from).Equal(dayStart(s.Start))
				exact = exact || from.Equal(s.Start) && to.Equal(s.End)
			}
		}
		r.found += boolCount(found)
		r.holds += boolCount(holds)
		r.start += boolCount(start)
		r.exact += boolCount(exact)
		if !start && os.Getenv("EBB_RECOGNIZERS_MISSES") != "" {
			t.Logf("miss: %q %v: %v, got %v", c.Input, ref.Format(time.DateOnly), want.Value.PastResolution, spans)
		}
	}
}

func boolCount(b bool) int {
	if b {
		return 1
	}
	return 0
}

// recognizerSpan reads a resolution; a date without an end is a day.
func recognizerSpan(res map[string]any) (from, to time.Time) {
	for key, value := range res {
		v, _ := value.(string)
		at, err := time.Parse(time.DateTime, v)
		if err != nil {
			at, _ = time.Parse(time.DateOnly, v)
		}
		switch {
		case strings.HasPrefix(key, "end"):
			to = at
		default:
			from = at
		}
	}
	if to.IsZero() {
		to = from.AddDate(0, 0, 1)
	}
	return from, to
}
