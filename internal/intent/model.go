package intent

import (
	"embed"
	"encoding/binary"
	"math"
	"strings"
)

// A Model rates texts. It is safe for concurrent use.
type Model struct {
	bias, unit float64
	weights    []byte // int8, in units
	fine       bool   // see Signals
}

//go:embed *.bin
var files embed.FS

var (
	// Asks rates a message or a sentence: the probability that it only asks for something
	// now, an answer or a task, typed with or without a question mark.
	Asks = load("asks", true)
	// Lasting rates a sentence: the probability that it states something about the
	// writer's life or work that will still matter in months.
	Lasting = load("lasting", false)
	// Own rates a question or a request: the probability that a good answer depends on
	// what only somebody who knows the writer can know.
	Own = load("own", true)
	// Forget rates a message: the probability that it asks to forget something that was
	// said or stored.
	Forget = load("forget", true)
	// Done rates an assistant's answer to a message that may ask to forget something: the
	// probability that it says that this is done.
	Done = load("done", true)
	// Manner rates a message or a sentence: the probability that it says how to answer,
	// speak to or address the writer from now on.
	Manner = load("manner", true)
	// SavedManner is [Manner] for a fact that an assistant saved in its own words: "User
	// prefers concise answers".
	SavedManner = load("saved", true)
	// Confided rates a message or a sentence: the probability that its writer may want it
	// forgotten one day, as what is shameful, painful or somebody else's secret.
	Confided = load("confided", true)
	// Feigned rates a message with its [Layout]: the probability that what it says in the
	// first person is not its writer's own truth, as in a story, a game, a song, a joke, a
	// task or a text by somebody else.
	Feigned = load("feigned", true)
	// Unstored rates a message: the probability that it says that it is not to be stored.
	Unstored = load("unstored", true)
	// Changes rates a message or a sentence: the probability that something which its writer
	// said before no longer holds after it.
	Changes = load("changes", true)
)

// load reads the weights of a file: those of a missing one rate everything 0.
func load(name string, fine bool) *Model {
	file, _ := files.ReadFile(name + ".bin")
	return Load(file, fine)
}

// Load reads the weights: bias and unit as float32, little endian, then a byte for each
// bucket. A file of another length gives a model that rates everything 0.
func Load(file []byte, fine bool) *Model {
	const head = 8
	buckets := Buckets
	if fine {
		buckets = FineBuckets
	}
	if len(file) != head+buckets {
		return &Model{bias: math.Inf(-1)}
	}
	return &Model{
		bias:    float64(math.Float32frombits(binary.LittleEndian.Uint32(file))),
		unit:    float64(math.Float32frombits(binary.LittleEndian.Uint32(file[4:]))),
		weights: file[head:],
		fine:    fine,
	}
}

// Layout returns a text with a mark in place of each line break, as breaks themselves give no
// signals.
func Layout(s string) string { return strings.ReplaceAll(s, "\n", " ¶ ") }

// P returns the probability for a text, 0–1.
func (m *Model) P(s string) float64 { return m.Rate(read(s, m.fine)) }

// Rate is [Model.P] of a text that several models rate.
func (m *Model) Rate(t Text) float64 {
	if m.fine {
		return m.rate(t.fine)
	}
	return m.rate(t.coarse)
}

// rate returns the probability for signals.
func (m *Model) rate(signals []uint32) float64 {
	if len(m.weights) == 0 {
		return 0
	}
	sum := 0.0
	for _, at := range signals {
		sum += float64(int8(m.weights[at]))
	}
	return 1 / (1 + math.Exp(-m.bias-m.unit*sum/math.Sqrt(float64(max(1, len(signals))))))
}
