package topics

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/ebbmem/ebb/internal/text"
)

// Compile makes lexicon.bin of the lists in a folder: the number of concepts, the
// number of slots of each language, the lengths of Chinese words by first character,
// the tables of the languages and the entries to which they point. Numbers are little
// endian.
func Compile(lists fs.FS) ([]byte, error) {
	c := &compiler{places: make(map[string]span), entries: make([]byte, 2)}
	if err := c.read(lists); err != nil {
		return nil, err
	}
	out := binary.LittleEndian.AppendUint32(nil, uint32(c.concepts))
	var tables []byte
	for lang := range languageCount {
		t := c.table(lang)
		out = binary.LittleEndian.AppendUint32(out, uint32(len(t)/slotSize))
		tables = append(tables, t...)
	}
	out = append(out, c.han[:]...)
	out = append(out, tables...)
	if len(c.entries)/2 >= 1<<24 {
		return nil, fmt.Errorf("too many entries")
	}
	return append(out, c.entries...), nil
}

type compiler struct {
	concepts int
	lists    [languageCount]listed
	han      [lastHan - firstHan + 1]byte
	entries  []byte
	places   map[string]span // by the entries
}

// listed holds the words of a language as the lists have them.
type listed struct {
	topics   map[string][]entry // of the lists of topics
	more     map[string][]entry // topics of words that no list of topics has
	concepts map[string][]entry
}

// lists names the lists of topics by language.
var lists = [languageCount][]string{
	english: {"en.txt", "wordnet.txt", "tech.txt"}, german: {"de.txt", "tech.txt"}, spanish: {"es.txt", "tech.txt"}, chinese: {"zh.txt"},
}

// languageCodes are the names of the languages in the lists of concepts.
var languageCodes = [languageCount]string{english: "en", german: "de", spanish: "es", chinese: "zh"}

func (c *compiler) read(from fs.FS) error {
	list, err := fs.ReadFile(from, "topics.txt")
	if err != nil {
		return err
	}
	number := new(kinds).readTopics(string(list))
	for lang := range languageCount {
		l := &c.lists[lang]
		*l = listed{make(map[string][]entry), make(map[string][]entry), make(map[string][]entry)}
		for _, name := range lists[lang] {
			list, err := fs.ReadFile(from, name)
			if err != nil {
				return err
			}
			if err := readWords(string(list), number, l.topics); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	names, err := fs.Glob(from, "concepts/*.txt")
	if err != nil {
		return err
	}
	slices.Sort(names)
	for _, name := range names {
		list, err := fs.ReadFile(from, name)
		if err != nil {
			return err
		}
		for line := range strings.Lines(string(list)) {
			if err := c.readConcept(strings.TrimSpace(line), number); err != nil {
				return fmt.Errorf("%s: %w", name, err)
			}
		}
	}
	return nil
}

// readWords adds a list's words, "topic: word word~ …" a line.
func readWords(list string, number map[string]uint16, to map[string][]entry) error {
	for line := range strings.Lines(list) {
		topic, tail, ok := strings.Cut(line, ":")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		code, known := number[topic]
		if !known {
			return fmt.Errorf("unknown topic %q", topic)
		}
		for w := range strings.FieldsSeq(tail) {
			w, weight := weightOf(w, 0)
			to[w] = join(to[w], entryOf(code, weight), heavier)
		}
	}
	return nil
}

// weightOf returns the folded word and the place of its weight in entryWeights.
func weightOf(w string, weight int) (string, int) {
	if strings.HasSuffix(w, "~") {
		weight++
	}
	return foldWord(strings.TrimSuffix(w, "~")), weight
}

func entryOf(code uint16, weight int) entry { return entry(code) | entry(weight)<<weightAt }

// readConcept adds a concept's words, "topic | en: word … > word … | de: …" a line.
func (c *compiler) readConcept(line string, number map[string]uint16) error {
	parts := strings.Split(line, " | ")
	if len(parts) != 1+int(languageCount) {
		return fmt.Errorf("%d parts: %s", len(parts), line)
	}
	topic, known := number[parts[0]]
	if !known && parts[0] != "-" {
		return fmt.Errorf("unknown topic %q", parts[0])
	}
	code := uint16(maxTopics + c.concepts)
	if c.concepts++; code >= maxCodes {
		return fmt.Errorf("too many concepts")
	}
	for lang, part := range parts[1:] {
		words, ok := strings.CutPrefix(part, languageCodes[lang]+":")
		if !ok {
			return fmt.Errorf("no %s: %s", languageCodes[lang], line)
		}
		l := &c.lists[lang]
		naming, rest, _ := strings.Cut(words, ">")
		for at, list := range []string{naming, rest} {
			for w := range strings.FieldsSeq(list) {
				w, weight := weightOf(w, 2*at)
				if w == "" {
					return fmt.Errorf("no word: %s", line)
				}
				if stem, reflexive := strings.CutSuffix(w, "rse"); reflexive && lang == int(spanish) && len(stem) > 3 {
					w = stem + "r" // "me separé" has no "se"
				}
				l.concepts[w] = join(l.concepts[w], entryOf(code, weight), heavier)
				if known && l.topics[w] == nil && (at == 0 || strings.Contains(w, "_")) {
					l.more[w] = join(l.more[w], entryOf(topic, weight)|extended, heavier)
				}
			}
		}
	}
	return nil
}

// join adds an entry. Of two with one code, better chooses.
func join(all []entry, e entry, better func(a, b entry) bool) []entry {
	for i := range all {
		if all[i].code() == e.code() {
			if better(e, all[i]) {
				all[i] = e
			}
			return all
		}
	}
	return append(all, e)
}

func heavier(a, b entry) bool { return a.weight() > b.weight() }
func lighter(a, b entry) bool { return a.weight() < b.weight() }
func never(_, _ entry) bool   { return false }

// table compiles the table of a language.
func (c *compiler) table(lang language) []byte {
	l := &c.lists[lang]
	lists := make(map[string][]entry)  // by key
	lengths := make(map[string]uint32) // of the phrases by first word
	all := make(map[string][]entry)
	for w, topics := range l.topics {
		all[w] = slices.Clone(topics)
	}
	for _, list := range []map[string][]entry{l.more, l.concepts} {
		for w, found := range list {
			for _, e := range found {
				all[w] = join(all[w], e, never)
			}
		}
	}
	if lang == chinese {
		c.completeHan(l, all)
	} else {
		c.complete(l, all, lang)
		preparedPhrases(all)
		for s, found := range stemmed(l, lang) {
			lists[key(stems, s)] = found
		}
	}
	for w, found := range all {
		lists[key(exact, w)] = found
		if first, _, phrase := strings.Cut(w, "_"); phrase {
			lengths[first] |= 1 << (strings.Count(w, "_") + 1)
			continue
		}
		if first, _ := utf8.DecodeRuneInString(w); lang == chinese && first >= firstHan {
			c.han[first-firstHan] |= 1 << (utf8.RuneCountInString(w) - 1)
		}
	}
	keys := make(map[string]uint32)
	for _, k := range slices.Sorted(maps.Keys(lists)) {
		keys[k] = uint32(c.place(lists[k]))
	}
	for first, lengths := range lengths {
		keys[key(opens, first)] = lengths
	}
	return layout(keys)
}

func key(of kind, word string) string { return string(rune(of)) + word }

// layout makes a [table] of the values.
func layout(keys map[string]uint32) []byte {
	n := len(keys)*3/2 + 1
	t := make([]byte, n*slotSize+slotPad)
	for _, k := range slices.Sorted(maps.Keys(keys)) {
		place, mark := placeOf(kind(k[0]), []byte(k[1:]), n)
		for {
			slot := t[place*slotSize:][:slotSize]
			if bytes.Equal(slot[3:], []byte{0, 0, 0}) {
				copy(slot, []byte{byte(mark), byte(mark >> 8), byte(mark >> 16), byte(keys[k]), byte(keys[k] >> 8), byte(keys[k] >> 16)})
				break
			}
			if place++; place == n {
				place = 0
			}
		}
	}
	return t
}

// place appends the entries of a word, unless another has the same. What the lists of
// topics say comes first.
func (c *compiler) place(found []entry) span {
	found = slices.Clone(found)
	for i, e := range found {
		if e.code() >= maxTopics {
			found[i] &^= extended
		}
	}
	slices.SortFunc(found, func(a, b entry) int {
		if a.listed() != b.listed() {
			if a.listed() {
				return -1
			}
			return 1
		}
		return int(a.code()) - int(b.code())
	})
	found[len(found)-1] |= lastOne
	var b []byte
	for _, e := range found {
		b = binary.LittleEndian.AppendUint16(b, uint16(e))
	}
	if at, ok := c.places[string(b)]; ok {
		return at
	}
	at := span(len(c.entries) / 2)
	c.places[string(b)] = at
	c.entries = append(c.entries, b...)
	return at
}

// stemmed returns the entries by stem. Where words of one stem differ it keeps the
// smaller weight.
func stemmed(l *listed, lang language) map[string][]entry {
	out := make(map[string][]entry)
	for _, list := range []map[string][]entry{l.topics, l.more, l.concepts} {
		these := make(map[string][]entry)
		for w, found := range list {
			if strings.Contains(w, "_") {
				continue
			}
			s := stemOf(w, lang)
			for _, e := range found {
				these[s] = join(these[s], e, lighter)
			}
		}
		for s, found := range these {
			for _, e := range found {
				out[s] = join(out[s], e, never)
			}
		}
	}
	return out
}

func stemOf(w string, lang language) string {
	if lang == english {
		return text.Prepare(w)
	}
	return string(stem([]byte(w), lang))
}

// complete gives words that only lists of concepts have the topics of the word
// without its ending, and vice versa: as a word is looked up as written first, they
// would be hidden. Phrases that only lists of concepts have get the topics of their
// words: "allergic to shellfish" is about a diet as well.
func (c *compiler) complete(l *listed, all map[string][]entry, lang language) {
	topicStems := stemmed(&listed{topics: l.topics}, lang)
	conceptStems := stemmed(&listed{topics: l.concepts}, lang)
	find := func(w string, list, stems map[string][]entry) []entry {
		if found := list[w]; found != nil {
			return found
		}
		if lang != english {
			return stems[stemOf(w, lang)]
		}
		var found []entry
		var space [maxLemma]byte
		lemmas([]byte(w), space[:0], func(lemma []byte) bool {
			found = list[string(lemma)]
			return found != nil
		})
		if found == nil {
			found = stems[w]
		}
		return found
	}
	for w := range all {
		var more []entry
		switch phrase := strings.Contains(w, "_"); {
		case l.topics[w] == nil && phrase:
			for part := range strings.SplitSeq(w, "_") {
				if !functionWords[part][lang] {
					more = append(more, find(part, l.topics, topicStems)...)
				}
			}
		case phrase:
		case l.topics[w] == nil:
			more = find(w, l.topics, topicStems)
		case l.concepts[w] == nil:
			more = find(w, l.concepts, conceptStems)
		}
		for _, e := range more {
			all[w] = join(all[w], e|extended, never)
		}
	}
}

// preparedPhrases adds the phrases as [text.Prepare] writes them.
func preparedPhrases(all map[string][]entry) {
	more := make(map[string][]entry)
	for w, found := range all {
		if !strings.Contains(w, "_") {
			continue
		}
		prepared := strings.ReplaceAll(text.Prepare(strings.ReplaceAll(w, "_", " ")), " ", "_")
		if all[prepared] != nil || !strings.Contains(prepared, "_") {
			continue
		}
		for _, e := range found {
			more[prepared] = join(more[prepared], e|extended, heavier)
		}
	}
	for w, found := range more {
		all[w] = found
	}
}

// completeHan gives Chinese words that only lists of concepts have the topics of the
// words they consist of, and vice versa.
func (c *compiler) completeHan(l *listed, all map[string][]entry) {
	parts := func(w []rune, list map[string][]entry) (found []entry) {
		for len(w) > 0 {
			step := 1
			for n := min(maxHan, len(w)); n > 0; n-- {
				if these := list[string(w[:n])]; these != nil {
					for _, e := range these {
						found = join(found, e, heavier)
					}
					step = n
					break
				}
			}
			w = w[step:]
		}
		return found
	}
	for w := range all {
		var more []entry
		switch {
		case l.topics[w] == nil:
			more = parts([]rune(w), l.topics)
		case l.concepts[w] == nil:
			more = parts([]rune(w), l.concepts)
		}
		for _, e := range more {
			all[w] = join(all[w], e|extended, never)
		}
	}
}
