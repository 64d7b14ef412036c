package main

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"github.com/ebbmem/ebb/internal/said"
)

// labelled is a labelled sentence of an invented message.
type labelled struct {
	set     string
	signals []uint32
	lasts   bool
	held    bool
}

// fitLasting fits the model of said.LastingOf to labelled messages, one JSON
// object per line, {"m": message, "keep": [lasting sentences]}, and writes it. It
// measures every tenth message with a fit to the others.
func fitLasting(w io.Writer, dir, out string) error {
	all, err := readLabelled(dir)
	if err != nil {
		return err
	}
	var fitted []labelled
	for _, t := range all {
		if !t.held {
			fitted = append(fitted, t)
		}
	}
	weights, bias := fitLinear(fitted)
	report(w, all, weights, bias)
	weights, bias = fitLinear(all)
	return os.WriteFile(out, pack(weights, bias), 0o644)
}

func readLabelled(dir string) ([]labelled, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.jsonl"))
	if err != nil || len(files) == 0 {
		return nil, fmt.Errorf("no *.jsonl in %s: %w", dir, err)
	}
	var all []labelled
	for _, path := range files {
		f, err := os.Open(path)
		if err != nil {
			return nil, err
		}
		lines := bufio.NewScanner(f)
		lines.Buffer(nil, 1<<20)
		for n := 1; lines.Scan(); n++ {
			var m struct {
				M    string   `json:"m"`
				Keep []string `json:"keep"`
			}
			if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
				return nil, fmt.Errorf("%s:%d: %w", path, n, err)
			}
			h := fnv.New32a()
			h.Write([]byte(m.M))
			for _, u := range said.LastingUnits(m.M) {
				s := u.Text
				t := labelled{set: strings.TrimSuffix(filepath.Base(path), ".jsonl"), signals: u.Signals, held: h.Sum32()%10 == 0}
				for _, k := range m.Keep {
					k, s = strings.TrimSpace(k), strings.TrimSpace(s)
					t.lasts = t.lasts || k != "" && (strings.Contains(s, k) || strings.Contains(k, s))
				}
				all = append(all, t)
			}
		}
		if err := lines.Err(); err != nil {
			return nil, err
		}
		f.Close()
	}
	return all, nil
}

// fitLinear runs a regularised logistic regression over hashed signals by Adagrad.
func fitLinear(all []labelled) (weights []float64, bias float64) {
	const (
		rounds = 30
		rate   = 0.3
		shrink = 3e-5
	)
	weights = make([]float64, said.LastingBuckets)
	seen := make([]float64, said.LastingBuckets)
	biasSeen := 1.0
	random := rand.New(rand.NewPCG(1, 2))
	order := random.Perm(len(all))
	for range rounds {
		random.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
		for _, at := range order {
			t := &all[at]
			each := 1 / math.Sqrt(float64(len(t.signals)))
			z := bias
			for _, s := range t.signals {
				z += weights[s] * each
			}
			miss := target(t.lasts) - 1/(1+math.Exp(-z))
			for _, s := range t.signals {
				g := miss*each - shrink*weights[s]
				seen[s] += g * g
				weights[s] += rate * g / math.Sqrt(seen[s]+1e-2)
			}
			biasSeen += miss * miss
			bias += rate * miss / math.Sqrt(biasSeen)
		}
	}
	return weights, bias
}

// report prints precision and recall at several probabilities for the held-out
// messages of each set.
func report(w io.Writer, all []labelled, weights []float64, bias float64) {
	type scored struct {
		p     float64
		lasts bool
	}
	sets := make(map[string][]scored)
	for _, t := range all {
		if !t.held {
			continue
		}
		z := bias
		for _, s := range t.signals {
			z += weights[s] / math.Sqrt(float64(len(t.signals)))
		}
		for _, set := range []string{t.set, "all"} {
			sets[set] = append(sets[set], scored{1 / (1 + math.Exp(-z)), t.lasts})
		}
	}
	var names []string
	for name := range sets {
		names = append(names, name)
	}
	sort.Strings(names)
	for _, name := range names {
		fmt.Fprintf(w, "%-10s %4d sentences left out; precision/recall", name, len(sets[name]))
		for _, least := range []float64{.3, .4, .5, .6, .7, .8, .9} {
			var taken, right, lasts float64
			for _, s := range sets[name] {
				if s.lasts {
					lasts++
				}
				if s.p >= least {
					taken++
					if s.lasts {
						right++
					}
				}
			}
			fmt.Fprintf(w, "  at %.1f %3.0f/%3.0f", least, 100*right/math.Max(1, taken), 100*right/math.Max(1, lasts))
		}
		fmt.Fprintln(w)
	}
}

// pack encodes the model in the format that said.LastingOf reads.
func pack(weights []float64, bias float64) []byte {
	most := 1e-9
	for _, w := range weights {
		most = max(most, math.Abs(w))
	}
	unit := most / 127
	var out bytes.Buffer
	binary.Write(&out, binary.LittleEndian, []float32{float32(bias), float32(unit)})
	for _, w := range weights {
		out.WriteByte(byte(int8(math.Round(w / unit))))
	}
	return out.Bytes()
}
