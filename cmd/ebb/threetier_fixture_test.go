package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const threeTierFixture = "testdata/threetier"

// streamEntry is the MemoryEntry of ada-three-tier.md §3.2, field by field.
type streamEntry struct {
	ID            string    `json:"id"`
	Cycle         int       `json:"cycle"`
	Timestamp     time.Time `json:"timestamp"`
	Role          string    `json:"role"`
	Action        string    `json:"action"`
	Importance    int       `json:"importance"`
	Type          string    `json:"type"`
	Tags          []string  `json:"tags"`
	IssueRefs     []int     `json:"issueRefs"`
	PRRefs        []int     `json:"prRefs"`
	Content       string    `json:"content"`
	TokenEstimate int       `json:"tokenEstimate"`
}

// fixtureLines decodes a JSONL file of the fixture strictly: no field but T's, nothing after the last line.
func fixtureLines[T any](t *testing.T, name string) []T {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(threeTierFixture, name))
	require.NoError(t, err)
	d := json.NewDecoder(bytes.NewReader(raw))
	d.DisallowUnknownFields()
	var all []T
	for {
		var one T
		if err := d.Decode(&one); err == io.EOF {
			break
		} else {
			require.NoErrorf(t, err, "%s, entry %d", name, len(all)+1)
		}
		all = append(all, one)
	}
	require.Equal(t, bytes.Count(raw, []byte("\n")), len(all), "one object a line")
	return all
}

var uuid = regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)

// mention finds "#57" and "PR #59" in an entry's text.
var mention = regexp.MustCompile(`(PR )?#(\d+)`)

func TestThreeTierFixtureStream(t *testing.T) {
	entries := fixtureLines[streamEntry](t, "stream.jsonl")
	require.GreaterOrEqual(t, len(entries), 240)

	ids := map[string]bool{}
	issues, prs := map[int]bool{}, map[int]bool{}
	last := streamEntry{}
	for _, e := range entries {
		at := e.Action
		require.Regexp(t, uuid, e.ID, at)
		require.False(t, ids[e.ID], "%s: id is given twice", at)
		ids[e.ID] = true

		require.LessOrEqual(t, e.Cycle-last.Cycle, 1, "%s: a cycle without an entry", at)
		require.GreaterOrEqual(t, e.Cycle, last.Cycle, at)
		require.True(t, e.Timestamp.After(last.Timestamp), "%s: time goes back", at)
		last = e

		require.NotEmpty(t, e.Role, at)
		require.NotEmpty(t, at)
		require.Contains(t, []string{"action", "observation", "reflection", "decision"}, e.Type, at)
		require.Equal(t, e.Role == "system", e.Type == "reflection", "%s: reflections are the system's", at)
		require.NotEmpty(t, e.Tags, at)
		if e.Type == "reflection" {
			require.GreaterOrEqual(t, e.Importance, 9, at)
		} else {
			require.GreaterOrEqual(t, e.Importance, 1, at)
		}
		require.LessOrEqual(t, e.Importance, 10, at)

		words := len(strings.Fields(e.Content))
		require.GreaterOrEqual(t, words, 30, at)
		require.LessOrEqual(t, words, 90, at)
		require.Equal(t, (len(e.Content)+3)/4, e.TokenEstimate, at)

		for _, m := range mention.FindAllStringSubmatch(e.Content, -1) {
			number, err := strconv.Atoi(m[2])
			require.NoError(t, err)
			if m[1] != "" {
				require.Contains(t, e.PRRefs, number, at)
			} else {
				require.Contains(t, e.IssueRefs, number, at)
			}
		}
		for _, n := range e.IssueRefs {
			issues[n] = true
		}
		for _, n := range e.PRRefs {
			require.False(t, prs[n], "%s: two entries merge #%d", at, n)
			prs[n] = true
		}
	}
	for n := range prs {
		require.False(t, issues[n], "#%d is an issue and a pull request", n)
	}
}

// fixtureDocs are the documents for the archival tier, by their path inside the fixture, sorted.
func fixtureDocs(t *testing.T) []string {
	t.Helper()
	docs, err := filepath.Glob(filepath.Join(threeTierFixture, "docs", "*", "*.md"))
	require.NoError(t, err)
	for i, d := range docs {
		docs[i], err = filepath.Rel(threeTierFixture, d)
		require.NoError(t, err)
		docs[i] = filepath.ToSlash(docs[i])
	}
	slices.Sort(docs)
	return docs
}

func TestThreeTierFixtureDocuments(t *testing.T) {
	docs := fixtureDocs(t)
	require.GreaterOrEqual(t, len(docs), 8)
	for _, d := range docs {
		raw, err := os.ReadFile(filepath.Join(threeTierFixture, d))
		require.NoError(t, err)
		words := len(strings.Fields(string(raw)))
		require.GreaterOrEqual(t, words, 150, d)
		require.LessOrEqual(t, words, 500, d)
		require.True(t, strings.HasPrefix(string(raw), "# "), "%s has a title", d)
	}

	bank, err := os.ReadFile(filepath.Join(threeTierFixture, "bank.md"))
	require.NoError(t, err)
	for _, heading := range []string{"## Current Status", "## Role State", "## Active Threads", "## Lessons Learned"} {
		require.Contains(t, string(bank), "\n"+heading+"\n")
	}
}
