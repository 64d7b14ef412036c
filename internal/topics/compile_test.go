package topics

import (
	"bytes"
	"encoding/binary"
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"unicode/utf8"

	"github.com/ebbmem/ebb/internal/text"
)

// compile makes lexicon.bin of the lists in a folder: the number of concepts, the number
// of slots of each table, for each dictionary the lengths of Chinese words by first
// character and the tables of its languages, then the pairs that phrases begin with and
// the entries to which the tables point.
// Numbers are little endian.
func compile(lists fs.FS) ([]byte, error) {
	c := &compiler{places: make(map[string]uint32), entries: make([]byte, 2), pairs: make(pairSet, pairBits/8)}
	if err := c.read(lists); err != nil {
		return nil, err
	}
	out := binary.LittleEndian.AppendUint32(nil, uint32(c.concepts))
	var rest []byte
	for d := range c.listed {
		rest = append(rest, hanLengths(c.listed[d][chinese])...)
		for lang, listed := range c.listed[d] {
			t := c.table(listed, d, language(lang))
			out = binary.LittleEndian.AppendUint32(out, uint32(len(t)/slotSize))
			rest = append(rest, t...)
		}
	}
	if len(c.entries)/2 >= 1<<24 {
		return nil, fmt.Errorf("too many entries")
	}
	return slices.Concat(out, rest, c.pairs, c.entries), nil
}

type compiler struct {
	concepts int
	listed   [dictionaryCount][languageCount]map[string][]entry // by word
	entries  []byte
	places   map[string]uint32 // in entries, by their bytes
	pairs    pairSet
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
		for d := range c.listed {
			c.listed[d][lang] = make(map[string][]entry)
		}
		for _, name := range lists[lang] {
			list, err := fs.ReadFile(from, name)
			if err != nil {
				return err
			}
			if err := readWords(string(list), number, c.listed[ofTopics][lang]); err != nil {
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
	if _, known := number[parts[0]]; !known && parts[0] != "-" { // the topic only orders the lists
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
		to := c.listed[ofConcepts][lang]
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
				to[w] = join(to[w], entryOf(code, weight), heavier)
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

// hanLengths returns the lengths of Chinese words by first character.
func hanLengths(listed map[string][]entry) []byte {
	lengths := make([]byte, lastHan-firstHan+1)
	for w := range listed {
		if first, _ := utf8.DecodeRuneInString(w); first >= firstHan {
			lengths[first-firstHan] |= 1 << (utf8.RuneCountInString(w) - 1)
		}
	}
	return lengths
}

// table compiles the table of a language in a dictionary.
func (c *compiler) table(listed map[string][]entry, dictionary int, lang language) []byte {
	lists := make(map[string][]entry) // by key
	keys := make(map[string]uint32)
	for w, found := range listed {
		lists[key(exact, w)] = found
		if first, rest, phrase := strings.Cut(w, "_"); phrase {
			keys[key(opens, first)] |= 1 << (strings.Count(w, "_") + 1)
			second, _, longer := strings.Cut(rest, "_")
			c.pairs.add(pairOf(dictionary, lang, wordHash([]byte(first)), wordHash([]byte(second))))
			if !longer { // a phrase may end with one more "s"
				c.pairs.add(pairOf(dictionary, lang, wordHash([]byte(first)), wordHash([]byte(second+"s"))))
			}
		}
	}
	for s, found := range stemmed(listed, lang) {
		// An English stem is looked up as written first.
		if lang != english || listed[s] == nil {
			lists[key(stems, s)] = found
		}
	}
	for _, k := range slices.Sorted(maps.Keys(lists)) {
		keys[k] = c.place(lists[k])
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

// place appends the entries of a word, unless another has the same, and returns their
// place.
func (c *compiler) place(found []entry) uint32 {
	found = slices.Clone(found)
	slices.SortFunc(found, func(a, b entry) int { return int(a.code()) - int(b.code()) })
	found[len(found)-1] |= lastOne
	var b []byte
	for _, e := range found {
		b = binary.LittleEndian.AppendUint16(b, uint16(e))
	}
	if at, ok := c.places[string(b)]; ok {
		return at
	}
	at := uint32(len(c.entries) / 2)
	c.places[string(b)] = at
	c.entries = append(c.entries, b...)
	return at
}

// stemmed returns the entries by stem. Where words of one stem differ it keeps the
// smaller weight.
func stemmed(listed map[string][]entry, lang language) map[string][]entry {
	out := make(map[string][]entry)
	if lang == chinese {
		return out
	}
	for w, found := range listed {
		if strings.Contains(w, "_") {
			continue
		}
		s := string(stem([]byte(w), lang))
		if lang == english {
			s = text.Prepare(w)
		}
		for _, e := range found {
			out[s] = join(out[s], e, lighter)
		}
	}
	return out
}

func (p pairSet) add(of pair) {
	for range 2 {
		p[of%pairBits/8] |= 1 << (of % 8)
		of >>= 32
	}
}

// foldWord folds a word of the lists; "_" stays.
func foldWord(w string) string {
	var b []byte
	for _, r := range w {
		if r == '_' {
			b = append(b, '_')
			continue
		}
		if r == '\'' || r == '’' {
			continue
		}
		if f := fold(r); f != 0 {
			b = utf8.AppendRune(b, f)
			if r == 'ß' {
				b = append(b, 's')
			}
		}
	}
	return string(b)
}

var update = flag.Bool("update", false, "write lexicon.bin")

// lexicon.bin is what the lists say.
func TestCompiled(t *testing.T) {
	b, err := compile(os.DirFS("."))
	if err == nil && *update {
		err = os.WriteFile("lexicon.bin", b, 0o644)
	}
	if err != nil {
		t.Fatal(err)
	}
	if !*update && !bytes.Equal(b, compiled) {
		t.Error("lexicon.bin is out of date: go generate ./internal/topics")
	}
}

func TestCompileRejectsBrokenLists(t *testing.T) {
	for _, line := range []string{
		"food | en: a1 | de: b1 | es: c1",
		"foods | en: a1 | de: b1 | es: c1 | zh: 面",
		"food | en: a1 | es: b1 | de: c1 | zh: 面",
		"food | en: a1 ? | de: b1 | es: c1 | zh: 面",
	} {
		lists := fstest.MapFS{"concepts/a.txt": {Data: []byte(line)}}
		for _, name := range []string{"topics.txt", "en.txt", "wordnet.txt", "de.txt", "es.txt", "zh.txt", "tech.txt"} {
			b, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			lists[name] = &fstest.MapFile{Data: b}
		}
		if _, err := compile(lists); err == nil {
			t.Errorf("%q: no error", line)
		}
	}
}
