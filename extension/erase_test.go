package extension

import (
	"bytes"
	"context"
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"weak"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/internal/memtest"
	"github.com/ebbmem/ebb/internal/pgtest"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema/erase"
	"github.com/ebbmem/ebb/schema/vecstore"
)

// letters is an embedder: a text's vector counts its letters. Two texts with
// one vector are anagrams.
type letters struct{}

func (letters) EmbedDocuments(_ context.Context, texts []string) ([][]float32, error) {
	vectors := make([][]float32, len(texts))
	for i, s := range texts {
		vectors[i] = make([]float32, 27)
		vectors[i][26] = 1
		for _, r := range strings.ToLower(s) {
			if 'a' <= r && r <= 'z' {
				vectors[i][r-'a']++
			}
		}
	}
	return vectors, nil
}

func (e letters) EmbedQuery(ctx context.Context, s string) ([]float32, error) {
	vectors, err := e.EmbedDocuments(ctx, []string{s})
	return vectors[0], err
}

// stored is the vector of a text as bytes of the file.
func (e letters) stored(t *testing.T, s string) []byte {
	t.Helper()
	vectors, err := e.EmbedDocuments(t.Context(), []string{s})
	require.NoError(t, err)
	unit, err := vecstore.Vector(vectors[0]).Unit(0)
	require.NoError(t, err)
	var b []byte
	for _, x := range unit {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b
}

// forms are the ways in which a word can stand in the file.
func forms(word string) [][]byte {
	all := [][]byte{[]byte(word), []byte(strings.ToLower(word)), []byte(strings.ToUpper(word))}
	for _, term := range text.Terms(word) {
		all = append(all, []byte(term))
	}
	return all
}

// holding names the files of a database that hold any of the needles, on a server its
// tables.
func holding(t *testing.T, path string, needles ...[]byte) (found []string) {
	t.Helper()
	if pgtest.Chosen() {
		return pgtest.Holding(t, memtest.Located(path), needles...)
	}
	files, err := filepath.Glob(path + "*")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	hidden, err := filepath.Glob(filepath.Join(filepath.Dir(path), ".*"))
	require.NoError(t, err)
	for _, name := range append(files, hidden...) {
		content, err := os.ReadFile(name)
		if err != nil {
			continue // a folder
		}
		lower := bytes.ToLower(content)
		for _, needle := range needles {
			if bytes.Contains(content, needle) || len(needle) < 40 && bytes.Contains(lower, bytes.ToLower(needle)) {
				found = append(found, filepath.Base(name)+" holds "+string(needle))
			}
		}
	}
	return found
}

// Examine is what package doctor, which imports this one, says of a file.
var Examine func(t *testing.T, path string) (healthy bool, checks []string)

func diagnosed(t *testing.T, path string) {
	t.Helper()
	healthy, checks := Examine(t, path)
	require.True(t, healthy, checks)
}

// No text from before an erasure is left in this process: neither in the talks of the user's
// conversations, also one that only a session still has, nor in what sessions have injected.
func TestErasureEndsTheTalks(t *testing.T) {
	x := openConfig(t, filepath.Join(t.TempDir(), "memory.db"), &Config{Night: NightConfig{NoSchedule: true}})
	const question = "What opens the vault?"
	sessions := make(map[Scope]*Session)
	for _, scope := range []Scope{{User: "ada"}, {User: "ada", Session: "monday"}, {User: "ada", Session: "dropped"}, {User: "bob", Session: "monday"}, {User: "bob"}} {
		require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(scope, "I'm allergic to Zbrwmkph, which opens the vault.")))
		require.NoError(t, x.WaitIdle(t.Context()))
		s, err := x.Session(scope)
		require.NoError(t, err)
		block, recorded := s.inject(t.Context(), "model", question, question)
		recorded()
		require.Contains(t, block, "Zbrwmkph")
		s.hasAnswered("It opens with Zbrwmkph.")
		s.blocks().remember(question, block)
		s.blocks().setCore("notes", "Zbrwmkph")
		sessions[scope] = s
	}
	lines, err := x.own.Lines(t.Context(), x.db, Scope{User: "ada"}, x.cfg.Location)
	require.NoError(t, err)
	cached := weak.Make(lines)
	x.captures.conversations.Remove(Scope{User: "ada", Session: "dropped"})

	_, err = x.Erase(t.Context(), Scope{User: "ada"}, Erasure{Everything: true})
	require.NoError(t, err)
	runtime.GC()
	require.Nil(t, cached.Value())
	for scope, s := range sessions {
		said, carry := s.talk().recent(x.cfg.Now())
		_, shown := s.blocks().last(question)
		_, seen := s.blocks().core("notes")
		require.Equal(t, scope.User == "bob", len(said) > 0 && shown && seen, scope)
		require.Equal(t, scope.User == "ada", len(said)+len(carry) == 0 && !shown && !seen, scope)
	}
}

func TestErasedSessionIsGoneFromFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	x := openConfig(t, path, &Config{Night: NightConfig{NoSchedule: true}, Embedding: EmbeddingConfig{Embedder: letters{}, Model: "letters"}})
	mon, tue := Scope{User: "ada", Session: "monday"}, Scope{User: "ada", Session: "tuesday"}
	const secret, kept = "Xylqorvant confided that the vault opens with Zbrwmkph", "The kettle is from Fjordhaven"
	require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(mon, secret, eventbus.WithID("m1"), eventbus.Speaker("Qwvzelda"))))
	require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(tue, kept, eventbus.WithID("t1"))))
	require.NoError(t, x.WaitIdle(t.Context()))
	var needles [][]byte
	for _, word := range []string{"Xylqorvant", "Zbrwmkph", "Qwvzelda"} {
		needles = append(needles, forms(word)...)
	}
	needles = append(needles, letters{}.stored(t, secret))
	answer, err := x.Recall(t.Context(), mon, Query{Text: "what did Xylqorvant confide?"})
	require.NoError(t, err)
	require.NotEmpty(t, answer.Results)
	require.NotEmpty(t, holding(t, path, needles...), "it is there to be erased")
	require.NotEmpty(t, holding(t, path, letters{}.stored(t, secret)), "so is its vector")

	receipt, err := x.Erase(t.Context(), mon, Erasure{Sessions: []string{"monday"}})
	require.NoError(t, err)
	require.Equal(t, erase.Done, receipt.State)
	require.Empty(t, receipt.Pending)
	require.NotEmpty(t, receipt.OutOfReach)
	require.EqualValues(t, 2, receipt.Erased["memories"], "the message and its sentence, which is kept too")
	require.EqualValues(t, 2, receipt.Erased["vectors"])
	require.EqualValues(t, 3, receipt.Erased["events"], "the message and the reports of both")
	require.Empty(t, holding(t, path, needles...))
	require.NotEmpty(t, holding(t, path, []byte("Fjordhaven"), letters{}.stored(t, kept)))
	diagnosed(t, path)

	answer, err = x.Recall(t.Context(), mon, Query{Text: "Xylqorvant, or a kettle?"})
	require.NoError(t, err)
	require.Len(t, answer.Results, 1)
	require.Equal(t, kept, answer.Results[0].Memory.Content)

	// Bypasses the session, which deduplicates recent messages.
	require.NoError(t, x.mem.Publish(t.Context(), eventbus.UserMessage(mon, secret, eventbus.WithID("m1"))), "a turn is not broken by it")
	batch, err := x.mem.Prepare(t.Context(), eventbus.UserMessage(mon, secret, eventbus.WithID("m1")), eventbus.UserMessage(tue, kept, eventbus.WithID("t1")),
		eventbus.UserMessage(tue, "A spoon", eventbus.WithID("t2")))
	require.NoError(t, err)
	outcomes, err := batch.Publish(t.Context(), nil)
	require.NoError(t, err)
	require.Equal(t, []eventbus.Outcome{eventbus.Erased, eventbus.Duplicate, eventbus.Journalled}, outcomes)
	require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(mon, "Something new", eventbus.WithID("m2"))), "the conversation can go on")
	require.NoError(t, x.Close(t.Context()))
	require.Empty(t, holding(t, path, needles...), "it does not come back")
	diagnosed(t, path)
}

// One of several people leaves a shared memory: what she said is gone, forgotten or not, in
// every session, and what her colleagues said stays.
func TestEraseSpeaker(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	x, err := Open(t.Context(), path, &Config{Night: NightConfig{NoSchedule: true}})
	require.NoError(t, err)
	defer func() { require.NoError(t, x.Close(context.Background())) }()
	says := func(session, speaker, text string) {
		require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(Scope{User: "team", Session: session}, text, eventbus.Speaker(speaker))))
		require.NoError(t, x.WaitIdle(t.Context()))
	}
	says("monday", "Priya", "I live in Xylqorvant and I'm allergic to zbrwmkph.")
	says("monday", "Dana", "I live in Fjordhaven.")
	says("tuesday", "Priya", "I'm pregnant, due in Mbquondary.")
	says("tuesday", "priya ", "My cat is Vqellimor.")
	says("tuesday", "Priyanka S", "My cat is Tom.")
	says("tuesday", "", "Who has a cat?")
	says("tuesday", "Priya", "Please forget that I'm pregnant.")
	says("tuesday", "Dana", "We'll miss you, Priya!")
	team := Scope{User: "team"}
	_, err = x.Erase(t.Context(), team, Erasure{Speakers: []string{"Dana", "Priyanka"}})
	require.ErrorIs(t, err, ErrNotFound)
	require.ErrorContains(t, err, "Priyanka")

	_, err = x.Erase(t.Context(), team, Erasure{Speakers: []string{" "}})
	require.ErrorIs(t, err, ErrNotFound, "that is not everyone without a name")
	receipt, err := x.Erase(t.Context(), team, Erasure{Speakers: []string{"PRIYA"}})
	require.NoError(t, err)
	require.Equal(t, erase.Done, receipt.State)
	require.Empty(t, holding(t, path, slices.Concat(forms("Xylqorvant"), forms("zbrwmkph"), forms("Mbquondary"), forms("Vqellimor"))...))
	records, err := x.Timeline(t.Context(), team, TimelineQuery{Forgotten: true})
	require.NoError(t, err)
	require.NotEmpty(t, records)
	for _, r := range records {
		require.NotContains(t, []string{"Priya", "priya "}, r.Speaker, r.Content)
	}
	for _, stays := range []string{"My cat is Tom.", "Who has a cat?"} {
		require.True(t, slices.ContainsFunc(records, func(r Record) bool { return r.Content == stays }))
	}
	profile, err := x.Profile(t.Context(), team)
	require.NoError(t, err)
	require.Equal(t, "I live in Fjordhaven.", profile.Lines[0].Text)
	require.True(t, slices.ContainsFunc(records, func(r Record) bool { return r.Content == "We'll miss you, Priya!" }))
	diagnosed(t, path)
}

func TestErasedUserIsGoneFromFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "memory.db")
	x := openConfig(t, path, &Config{Night: NightConfig{NoSchedule: true}, Embedding: EmbeddingConfig{Embedder: letters{}, Model: "letters"}})
	gone, stays := Scope{User: "Zwelpharion", Session: "Mbquondary"}, Scope{User: "ben"}
	const secret, kept = "Xylqorvant confided that the vault opens with Zbrwmkph", "The kettle is from Fjordhaven"
	require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(gone, secret, eventbus.WithID("m1"), eventbus.Speaker("Qwvzelda"))))
	require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(stays, kept, eventbus.WithID("m1"))))
	require.NoError(t, x.WaitIdle(t.Context()))
	var needles [][]byte
	for _, word := range []string{"Xylqorvant", "Zbrwmkph", "Qwvzelda", "Zwelpharion", "Mbquondary"} {
		needles = append(needles, forms(word)...)
	}
	receipt, err := x.Erase(t.Context(), gone, Erasure{Everything: true})
	require.NoError(t, err)
	require.Equal(t, erase.Done, receipt.State)
	require.Empty(t, holding(t, path, needles...))
	diagnosed(t, path)
	users, err := x.Users(t.Context())
	require.NoError(t, err)
	require.Len(t, users, 1)
	_, err = x.Erase(t.Context(), gone, Erasure{Everything: true})
	require.ErrorIs(t, err, ErrNotFound)

	require.NoError(t, x.mem.Publish(t.Context(), eventbus.UserMessage(gone, secret, eventbus.WithID("m1"))))
	require.Empty(t, holding(t, path, needles...), "not even the name comes back")
	require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(gone, "Hello again", eventbus.WithID("m2"))))
	answer, err := x.Recall(t.Context(), gone, Query{Text: "hello vault kettle"})
	require.NoError(t, err)
	require.Len(t, answer.Results, 1)
	answer, err = x.Recall(t.Context(), stays, Query{Text: "kettle"})
	require.NoError(t, err)
	require.Len(t, answer.Results, 1)
	diagnosed(t, path)
}

// A night that is asked for right after an erasure runs.
func TestNightRightAfterErasure(t *testing.T) {
	scope := Scope{User: "ada"}
	x, err := Open(t.Context(), filepath.Join(t.TempDir(), "m.db"), &Config{Night: NightConfig{NoSchedule: true}})
	require.NoError(t, err)
	defer func() { require.NoError(t, x.Close(context.Background())) }()
	require.NoError(t, x.Bus().Publish(t.Context(), eventbus.UserMessage(scope, "I like tea", eventbus.WithID("m1")), eventbus.UserMessage(scope, "I like figs")))
	_, err = x.Erase(t.Context(), scope, Erasure{Events: []string{"m1"}})
	require.NoError(t, err)
	_, err = x.Consolidate(t.Context(), scope)
	require.NoError(t, err)
}
