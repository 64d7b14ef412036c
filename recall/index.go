package recall

import (
	"bytes"
	"math"
	"slices"
	"strings"

	"github.com/ebbmem/ebb/internal/idlist"
	"github.com/ebbmem/ebb/recall/lexicon"
	"github.com/ebbmem/ebb/schema"
)

// maxExpected bounds how many values are reserved at once. The expected number comes
// from ids in the file, which damage may have changed.
const maxExpected = 1 << 20

// index is the inverted index of one user's text: for every term the chunks that
// hold it, and for every chunk its terms in order. It is a cache over the durable
// chunks and is brought up to date from them, so it sees the writes of other
// processes too.
//
// Chunks and documents (memories) are numbered in order of arrival, which is
// the order of their ids; an index built in steps equals one built at once.
//
// It holds letters and digits alone ([text.Terms]): an arm for a mark such as "#" has to
// read the texts, or needs a flag that is set when they are indexed ([lexicon.Flags]).
type index struct {
	terms     map[string]uint32
	postings  []lexicon.Postings  // by term
	termFlags []lexicon.Flags     // by term
	counts    statistics          // of current documents
	families  map[string][]uint32 // root of a word -> its terms; see [lexicon.Roots]

	chunks       lexicon.Chunks
	stretchWords []uint32 // how many terms every [stretchChunks] chunks hold
	lastChunk    int64    // id
	skipped      int64    // id of the last chunk that is not held yet, the older ones included; 0 = all are held
	lastOp       int64
	keyedDocs    uint32 // of so many documents keys is filled in

	docs         []document
	memories     idlist.List         // of docs
	meta         []docMeta           // of docs
	keys         map[uint32][]uint32 // claim -> the turns it is a key to; see keys.go
	sessions     map[int64]uint32    // session -> its number
	issues       map[string]uint32   // issue -> the number of its thread
	lastInThread []int32             // by session and thread: its last document in time, -1 = none
	speakers     []string            // prepared names
	speakerIDs   map[string]uint16   // prepared name -> its number
	turns        []int               // of speakers, how many texts each said
	named        map[string][]uint16 // term of a name -> speakers
	merged       map[int64][]int64   // entity -> those merged into it; for the entity arm
	themes       lexicon.Themes      // of docs
	instructions []uint32            // standing ones of the user; see instruction.go

	scratch []uint32 // of add
	uses    []uint16 // of tally, by term: all 0
}

// maxChunks bounds the chunks of one user's index.
const maxChunks = 1 << 24

type document struct {
	time    int64  // Unix milliseconds
	session uint32 // number; 0 = none
	prev    int32  // neighbours in the thread, -1 = none
	next    int32
	words   uint16 // terms in all chunks
	flags   lexicon.Flags
	form    lexicon.Form
}

// byUser is set beside the flags of a text: its role is user, or it is derived.
const byUser lexicon.Flags = 1 << 7

// docMeta is what a search reads of every document that matches. They are stored
// apart from the other fields of documents: fetching thousands of them across
// memory would take longer than scoring the words.
type docMeta struct {
	thread  uint32 // number, see [index.thread]; 0 = none
	speaker uint16
	kind    kindBit
	state   stateBit
}

type (
	kindBit  uint8
	stateBit uint8
)

func bitOfKind(k schema.Kind) kindBit { return kindBit(bitOf(schema.Kinds, k)) }

var states = []schema.State{schema.StateActive, schema.StateDormant, schema.StateQuarantined, schema.StateSuperseded, schema.StateRetired, schema.StateForgotten}

func bitOfState(s schema.State) stateBit { return stateBit(bitOf(states, s)) }

// bitOf is the bit of a value among values, 0 for an unknown value. No filter admits
// 0.
func bitOf[T comparable](values []T, value T) uint8 {
	at := slices.Index(values, value)
	if at < 0 {
		return 0
	}
	return 1 << at
}

var (
	episodeBit = bitOfKind(schema.KindEpisode)
	dormantBit = bitOfState(schema.StateDormant)
)

// said reports an episode, as opposed to a derived memory.
func (l *docMeta) said() bool { return l.kind == episodeBit }

func newIndex() *index {
	return &index{
		terms:        make(map[string]uint32),
		families:     make(map[string][]uint32),
		keys:         make(map[uint32][]uint32),
		sessions:     map[int64]uint32{0: 0},
		issues:       make(map[string]uint32),
		lastInThread: []int32{-1},
		speakerIDs:   make(map[string]uint16),
		named:        make(map[string][]uint16),
	}
}

// add indexes one chunk. Chunks must come in order of id. A chunk of an older memory
// is added to it, unless that memory was skipped. form is the [lexicon.FormOf] the memory's
// content.
func (ix *index) add(c schema.IndexedChunk, form lexicon.Form) {
	if t, ok := ix.addText(c, form); ok {
		ix.themes.Add(t)
	}
}

// addText is add but for the themes. It returns what they need, valid until the next
// chunk, or false for a chunk that the index does not take.
func (ix *index) addText(c schema.IndexedChunk, form lexicon.Form) (t lexicon.Text, ok bool) {
	ix.lastChunk = c.ID
	at := uint32(ix.chunks.Len())
	if at >= maxChunks || ix.skips(c.MemoryID) {
		return t, false
	}
	doc, terms := ix.document(c, form), ix.enter(c.Text)
	ix.chunks.Add(doc, terms)
	if at%stretchChunks == 0 {
		ix.stretchWords = append(ix.stretchWords, 0)
	}
	ix.stretchWords[at/stretchChunks] += uint32(len(terms))
	d := &ix.docs[doc]
	counted := ix.meta[doc].counted()
	ix.tally(terms, func(term uint32, uses int) {
		ix.postings[term].Add(at, uses)
		if counted {
			ix.counts.holding[term]++
		}
	})
	if counted {
		ix.counts.chunks++
		ix.counts.words += len(terms)
	}
	d.words = uint16(min(int(d.words)+len(terms), math.MaxUint16))
	d.flags |= ix.flags(terms)
	return lexicon.Text{Doc: doc, Counted: counted, Prepared: c.Text, Terms: terms}, true
}

// expect reserves room for so many chunks in all.
func (ix *index) expect(chunks int) {
	chunks = min(chunks, maxExpected) - ix.chunks.Len()
	if chunks > ix.chunks.Len()/8 {
		ix.chunks.Expect(chunks)
		ix.docs, ix.meta = idlist.Grow(ix.docs, chunks), idlist.Grow(ix.meta, chunks)
		ix.memories.Grow(chunks)
	}
}

// skips reports a memory that is older than all held ones.
func (ix *index) skips(memory int64) bool {
	return ix.skipped > 0 && len(ix.docs) > 0 && memory < ix.memories.At(0)
}

// enter returns the numbers of a text's terms, valid until the next call.
func (ix *index) enter(prepared []byte) []uint32 {
	ix.scratch = ix.scratch[:0]
	for len(prepared) > 0 && len(ix.scratch) < math.MaxUint16 { // chunks are of some 900 characters
		term, rest := prepared, []byte(nil)
		if end := bytes.IndexByte(prepared, ' '); end >= 0 {
			term, rest = prepared[:end], prepared[end+1:]
		}
		prepared = rest
		if len(term) == 0 {
			continue
		}
		ix.scratch = append(ix.scratch, ix.term(term))
	}
	return ix.scratch
}

// flags are the flags of a text with these terms, in order.
func (ix *index) flags(terms []uint32) lexicon.Flags {
	return lexicon.TextFlags(func(yield func(lexicon.Flags) bool) {
		for _, term := range terms {
			if !yield(ix.termFlags[term]) {
				return
			}
		}
	})
}

// tally calls each once for every distinct term, with its number of uses.
func (ix *index) tally(terms []uint32, each func(term uint32, uses int)) {
	ix.uses = append(ix.uses, make([]uint16, len(ix.postings)-len(ix.uses))...)
	for _, term := range terms {
		ix.uses[term]++
	}
	for _, term := range terms {
		if uses := ix.uses[term]; uses > 0 {
			each(term, int(uses))
			ix.uses[term] = 0
		}
	}
}

// term returns the number of a term, and enters a new term into its families.
func (ix *index) term(coded []byte) uint32 {
	if id, known := ix.terms[string(coded)]; known {
		return id
	}
	id, term := uint32(len(ix.postings)), string(coded)
	ix.terms[term] = id
	ix.postings = append(ix.postings, lexicon.Postings{})
	ix.termFlags = append(ix.termFlags, lexicon.TermFlags(term))
	ix.counts.holding = append(ix.counts.holding, 0)
	for _, r := range lexicon.Roots(term) {
		ix.families[r] = append(ix.families[r], id)
	}
	return id
}

// document finds the chunk's document or appends it.
func (ix *index) document(c schema.IndexedChunk, form lexicon.Form) uint32 {
	if doc, ok := ix.find(c.MemoryID); ok {
		return doc
	}
	doc := uint32(len(ix.docs))
	speaker := c.Speaker
	if c.Kind != schema.KindEpisode {
		speaker = "" // a derived memory has none
	}
	d := document{
		time: c.EventTime, session: ix.session(c.SessionID), prev: -1, next: -1, form: form,
	}
	l := docMeta{speaker: ix.speaker(speaker), kind: bitOfKind(c.Kind), state: bitOfState(c.State)}
	if c.Role == "user" || c.Kind != schema.KindEpisode { // a derived memory rests on what the user said
		d.flags |= byUser
	}
	l.thread = ix.thread(c.Issue, d.session)
	ix.docs, ix.meta = append(ix.docs, d), append(ix.meta, l)
	ix.memories.Add(c.MemoryID)
	if d.instructs() {
		ix.instructions = append(ix.instructions, doc)
	}
	if l.said() {
		ix.turns[l.speaker]++
		if l.thread != 0 {
			ix.chain(doc)
		}
	}
	return doc
}

// find looks a memory up; documents are sorted by memory id.
func (ix *index) find(memory int64) (uint32, bool) {
	if n := len(ix.docs); n == 0 || ix.memories.At(n-1) < memory { // as while chunks are read in order
		return uint32(n), false
	}
	i, ok := ix.memories.Find(memory)
	return uint32(i), ok
}

// session is the number of a session.
func (ix *index) session(id int64) uint32 {
	number, known := ix.sessions[id]
	if !known {
		number = ix.newThread()
		ix.sessions[id] = number
	}
	return number
}

// thread is the number of a text's thread: all texts that refer to the same issue,
// since a log has no conversations, else its session.
func (ix *index) thread(issue string, session uint32) uint32 {
	if issue == "" {
		return session
	}
	number, known := ix.issues[issue]
	if !known {
		number = ix.newThread()
		ix.issues[strings.Clone(issue)] = number
	}
	return number
}

// newThread numbers a new thread.
func (ix *index) newThread() uint32 {
	ix.lastInThread = append(ix.lastInThread, -1)
	return uint32(len(ix.lastInThread) - 1)
}

// speaker is the number of a speaker by the prepared name.
func (ix *index) speaker(prepared string) uint16 {
	if id, known := ix.speakerIDs[prepared]; known {
		return id
	}
	if len(ix.speakers) == math.MaxUint16 {
		return 0
	}
	id := uint16(len(ix.speakers))
	ix.speakers, ix.turns = append(ix.speakers, strings.Clone(prepared)), append(ix.turns, 0)
	ix.speakerIDs[ix.speakers[id]] = id
	for term := range strings.FieldsSeq(ix.speakers[id]) {
		if !slices.Contains(ix.named[term], id) {
			ix.named[term] = append(ix.named[term], id)
		}
	}
	return id
}

// fit frees the spare capacity of all lists.
func (ix *index) fit() {
	ix.chunks.Fit()
	ix.themes.Fit()
	ix.docs, ix.meta = slices.Clone(ix.docs), slices.Clone(ix.meta)
	ix.memories.Clip()
	for i := range ix.postings {
		ix.postings[i].Coded = slices.Clone(ix.postings[i].Coded)
	}
}
