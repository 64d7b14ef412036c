package main

import (
	"bufio"
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

//go:embed seeds.txt
var seeds string

// hand is the path of the handwritten words, relative to the module's root.
const hand = "../internal/topics/en.txt"

type synset struct {
	words     []string
	hyponyms  []string
	instances []string
}

func wordnetCommand(*flag.FlagSet) command {
	return func(_ context.Context, out io.Writer, dict []string) error {
		if len(dict) != 1 {
			return errors.New("name the folder of WordNet's files")
		}
		w, err := loadWordnet(dict[0])
		if err != nil {
			return err
		}
		return w.print(out)
	}
}

type wordnet struct {
	nouns  map[string][]string // a noun's synsets, by offset, its commonest sense first
	sets   map[string]synset
	counts map[string]map[string]int // uses of a word in SemCor, by synset; "v", "a", … for the other parts of speech
	other  map[string]bool           // verbs, adjectives and adverbs
}

func loadWordnet(dict string) (*wordnet, error) {
	w := &wordnet{map[string][]string{}, map[string]synset{}, map[string]map[string]int{}, map[string]bool{}}
	err := eachLine(filepath.Join(dict, "index.noun"), func(f []string) {
		if strings.HasPrefix(f[0], "~") || len(f) < 6 {
			return
		}
		pointers, _ := strconv.Atoi(f[3])
		w.nouns[f[0]] = f[6+pointers:]
	})
	for _, pos := range []string{"verb", "adj", "adv"} {
		if err == nil {
			err = eachLine(filepath.Join(dict, "index."+pos), func(f []string) { w.other[f[0]] = true })
		}
	}
	if err == nil {
		err = eachLine(filepath.Join(dict, "index.sense"), func(f []string) {
			lemma, key, _ := strings.Cut(f[0], "%")
			n, _ := strconv.Atoi(f[3])
			if w.counts[lemma] == nil {
				w.counts[lemma] = map[string]int{}
			}
			if key[0] == '1' {
				w.counts[lemma][f[1]] += n
			} else {
				w.counts[lemma]["other"] += n
			}
		})
	}
	if err == nil {
		err = eachLine(filepath.Join(dict, "data.noun"), func(f []string) {
			n, _ := strconv.ParseInt(f[3], 16, 32)
			var s synset
			for i := range int(n) {
				s.words = append(s.words, f[4+2*i])
			}
			at := 4 + 2*int(n)
			pointers, _ := strconv.Atoi(f[at])
			for i := range pointers {
				switch p := f[at+1+4*i:]; p[0] {
				case "~":
					s.hyponyms = append(s.hyponyms, p[1])
				case "~i":
					s.instances = append(s.instances, p[1])
				}
			}
			w.sets[f[0]] = s
		})
	}
	return w, err
}

func eachLine(path string, each func([]string)) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	in := bufio.NewScanner(f)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		if line := in.Text(); !strings.HasPrefix(line, " ") {
			each(strings.Fields(line))
		}
	}
	return in.Err()
}

var everyday = regexp.MustCompile(`^[a-z]{3,14}$`)

func (w *wordnet) print(out io.Writer) error {
	known := map[string]bool{}
	b, err := os.ReadFile(hand)
	if err != nil {
		return err
	}
	for f := range strings.FieldsSeq(string(b)) {
		known[strings.TrimRight(f, "~:")] = true
	}
	if _, list, ok := strings.Cut(seeds, "\ndrop:"); ok {
		for word := range strings.FieldsSeq(list) {
			known[word] = true
		}
	}
	fmt.Fprintln(out, "# Made by benchmarks/fit from Princeton WordNet 3.1; see README.md for its licence.")
	for line := range strings.Lines(seeds) {
		topic, list, ok := strings.Cut(line, ":")
		if !ok || topic == "drop" || strings.HasPrefix(line, "#") {
			continue
		}
		found := map[string]bool{}
		for seed := range strings.FieldsSeq(list) {
			name, instances := strings.CutPrefix(seed, ">")
			lemma, number, _ := strings.Cut(name, "#")
			n, _ := strconv.Atoi(number)
			senses := w.nouns[strings.ToLower(lemma)]
			if n < 1 || n > len(senses) {
				log.Printf("%s: no such sense", seed)
				continue
			}
			closure := map[string]bool{}
			w.under(senses[n-1], instances, closure)
			log.Printf("%-12s %-26s %5d synsets: %v", topic, seed, len(closure), w.sets[senses[n-1]].words)
			for offset := range closure {
				for _, word := range w.sets[offset].words {
					word = strings.ToLower(word)
					if !known[word] && everyday.MatchString(word) && w.means(word, offset, topic) {
						if instances {
							word += "~" // a place, or somebody's name
						}
						found[word] = true
					}
				}
			}
		}
		if words := slices.Sorted(maps.Keys(found)); len(words) > 0 {
			fmt.Fprintf(out, "%s: %s\n", topic, strings.Join(words, " "))
		}
	}
	return nil
}

func (w *wordnet) under(offset string, instances bool, seen map[string]bool) {
	if seen[offset] {
		return
	}
	seen[offset] = true
	s := w.sets[offset]
	for _, h := range s.hyponyms {
		w.under(h, instances, seen)
	}
	if instances {
		for _, i := range s.instances {
			seen[i] = true
		}
	}
}

// rare are topics with thousands of rare words in WordNet. Of these it takes only
// words that occur in SemCor.
var rare = map[string]bool{
	"animals": true, "illness": true, "medicine": true, "work": true, "garden": true, "document": true, "money": true,
	"nature": true, "units": true, "body": true, "home": true, "household": true, "school": true, "science": true,
	"books": true, "boat": true, "holiday": true, "emotion": true, "kin": true, "children": true, "car": true, "computer": true,
	"doctor": true, "film": true, "emergency": true, "schedule": true, "phone": true, "weather": true, "games": true, "language": true,
}

// means reports whether the word is a noun of this sense in at least 60 of 100
// uses in SemCor or, where that has none, whether it has this sense alone.
func (w *wordnet) means(word, offset, topic string) bool {
	all, here := 0, w.counts[word][offset]
	for _, n := range w.counts[word] {
		all += n
	}
	if all == 0 {
		return !rare[topic] && len(w.nouns[word]) == 1 && !w.other[word]
	}
	return 10*here >= 6*all
}
