package relevance

import (
	"encoding/binary"
	"hash/crc32"
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/internal/topics"
)

// The codes of topics and concepts change with their table: the model is fitted again then.
func TestTheModelIsForTheTableOfTopics(t *testing.T) {
	table, err := os.ReadFile("../topics/lexicon.bin")
	require.NoError(t, err)
	require.Equal(t, crc32.ChecksumIEEE(table), binary.LittleEndian.Uint32(lines[4:]))
	require.NotEmpty(t, Fitted.Lines)
	for code := range topics.Of("restaurant nuts allergy boat taxes").Weights() {
		require.Less(t, int(code), len(Fitted.Lines))
	}
}

func TestEncodeAndLoad(t *testing.T) {
	file := Fitted.Encode(7)
	require.Equal(t, uint32(7), binary.LittleEndian.Uint32(file[4:]))
	again := Load(file)
	require.Equal(t, Fitted.Linear, again.Linear)
	require.Equal(t, Fitted.Hidden, again.Hidden)
	for code := range Fitted.Lines {
		for d := range Dims {
			require.InDelta(t, Fitted.Lines[code][d], again.Lines[code][d], 1e-5)
			require.InDelta(t, Fitted.Questions[code][d], again.Questions[code][d], 1e-5)
		}
	}
	require.Equal(t, new(Model), Load(file[:len(file)-1]))
}

// None of these is among the questions that the model was fitted to.
func TestWhatAQuestionNeeds(t *testing.T) {
	right, all := 0, 0
	for _, c := range []struct{ question, needed, other string }{
		{"Where shall we eat tonight?", "I can't stand coriander", "My bike has a flat tyre"},
		{"What do I put on the customs form for the dog?", "Our terrier is chipped", "I get paid on the 25th"},
		{"Somebody is at the door about the boiler", "The heating is serviced by Klaus", "My sister sings in a choir"},
		{"Plan my Saturday", "I swim with the club on weekends", "My shoe size is 43"},
		{"Was soll ich Oma schenken?", "Meine Großmutter sammelt Fingerhüte", "Ich fahre mit der Bahn zur Arbeit"},
		{"Ich hab schon wieder Kopfweh", "Ich vertrage kein Ibuprofen", "Mein Auto ist grün"},
		{"¿Qué cocino para los niños?", "Mi hija es celíaca", "Trabajo en un banco"},
		{"今晚吃什么", "我不吃香菜", "我的车是蓝色的"},
	} {
		q := Fitted.Questions.Of(topics.Of(c.question))
		needed, other := Fitted.Lines.Of(topics.Of(c.needed)), Fitted.Lines.Of(topics.Of(c.other))
		all++
		if q.Dot(&needed) > q.Dot(&other) {
			right++
		} else {
			t.Logf("%s: %.2f, %.2f", c.question, q.Dot(&needed), q.Dot(&other))
		}
	}
	require.GreaterOrEqual(t, right, all-1)
}

func FuzzLoad(f *testing.F) {
	f.Add(lines[:head])
	f.Add(make([]byte, head+2*Dims))
	f.Add([]byte("\x01\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, file []byte) {
		m := Load(file)
		q, l := m.Questions.Of(topics.Of("nuts")), m.Lines.Of(topics.Of("restaurant"))
		m.Rate(new([Features]float32), &q, &l)
	})
}
