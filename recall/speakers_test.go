package recall

import (
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"

	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
)

// spokenBy is an index of one turn by each speaker, as often as it is named.
func spokenBy(speakers ...string) *index {
	ix := newIndex()
	for i, s := range speakers {
		ix.add(schema.IndexedChunk{ID: int64(i + 1), MemoryID: int64(i + 1), SessionID: 1, Kind: schema.KindEpisode, State: schema.StateActive, Role: "user", Speaker: text.Prepare(s), Text: []byte("tea")}, 0)
	}
	return ix
}

func TestInFirstPerson(t *testing.T) {
	ix := spokenBy("Ada", "Jonas Weber", "林晓雯")
	for asked, want := range map[string]string{
		"What did Ada research?":              "What did I research?",
		"What did Ada's sister buy?":          "What did my sister buy?",
		"Where did Jonas Weber's dog sleep?":  "Where did my dog sleep?",
		"Did Ada and Jonas meet in the park?": "Did I and I meet in the park?",
		"Was hat Jonas gekauft?":              "Was hat  gekauft?",
		"林晓雯的车是什么颜色？":                         "我的车是什么颜色？",
		"How does a user sign in?":            "How does a user sign in?",
		"Ada":                                 "Ada",
		"Who is Ada?":                         "Who is Ada?",
		"What is the capital of France?":      "What is the capital of France?",
		"":                                    "",
		"\xff Ada’s \xff":                     "\xff Ada’s \xff",
	} {
		assert.Equal(t, want, ix.inFirstPerson(asked), asked)
	}
	assert.Equal(t, "How does a user sign in?", spokenBy("user", "assistant").inFirstPerson("How does a user sign in?"), "a role is no name")
}

func TestSpeakersThatAQuestionNames(t *testing.T) {
	crowd := spokenBy("Ada Berg", "Ada Berg", "Ada Berg", "Ada Berg", "Ada Berg", "Ben Oster", "Dan Chen", "Eva Chen")
	pair := spokenBy("Ada Berg", "Ada Berg", "Ada Berg", "Ben Oster")
	equals := spokenBy("Ada Berg", "Ben Oster", "Dan Chen", "Eva Chen")
	for _, test := range []struct {
		ix       *index
		asked    string
		speakers []string
		words    []string // what is searched for
	}{
		{crowd, "What did Ada Berg bake with Ben?", []string{"ben oster"}, []string{"bake", "ben"}},
		{crowd, "What did Ada bake?", []string{"ada berg"}, []string{"bake"}},
		{crowd, "What did Dan Chen bake?", []string{"dan chen"}, []string{"dan", "chen", "bake"}},
		{crowd, "What did Mr. Chen bake?", []string{"dan chen", "eva chen"}, []string{"mr", "chen", "bake"}},
		{crowd, "What did Ada and the Chens bake?", []string{"dan chen", "eva chen"}, []string{"chen", "bake"}},
		{pair, "What did Ada Berg bake with Ben?", []string{"ada berg", "ben oster"}, []string{"bake"}},
		{equals, "What did Ada bake with Ben?", []string{"ada berg", "ben oster"}, []string{"ada", "bake", "ben"}},
	} {
		q := test.ix.understand(test.asked, noon)
		var named, words []string
		for _, s := range q.speakers {
			named = append(named, test.ix.speakers[s])
		}
		for _, p := range q.parts {
			words = append(words, p.term)
		}
		assert.ElementsMatch(t, test.speakers, named, test.asked)
		assert.Equal(t, test.words, words, test.asked)
	}
}

// Among the messages of one person with many, what was said with the one who is named
// comes before what the owner said to others.
func TestAnswersAmongManySpeakers(t *testing.T) {
	db := open(t)
	say(t, db, ada,
		turn{session: "ben", speaker: "Ada Berg", role: "user", text: "Are you free on Sunday?"},
		turn{session: "ben", speaker: "Ben Oster", role: "user", text: "Yes, the harbour at nine.", minutes: 1},
		turn{session: "cleo", speaker: "Ada Berg", role: "user", text: "I agreed to sing on Sunday.", minutes: 2},
		turn{session: "cleo", speaker: "Cleo Marsh", role: "user", text: "Break a leg!", minutes: 3},
		turn{session: "dan", speaker: "Ada Berg", role: "user", text: "Sunday is no good, I agreed to sing.", minutes: 4},
		turn{session: "dan", speaker: "Dan Chen", role: "user", text: "A pity.", minutes: 5},
		turn{session: "notes", speaker: "Ada Berg", role: "user", text: "Agreed with the choir on Sundays.", minutes: 6},
	)
	s := New(db, Options{})
	defer s.Close()
	assert.Equal(t, "Are you free on Sunday?", texts(search(t, s, Query{Text: "What did Ada Berg and Ben Oster agree on for Sunday?"}))[0])
}

func FuzzInFirstPerson(f *testing.F) {
	for _, asked := range []string{"What did Ada's sister buy?", "林晓雯的车 Jonas  Weber?", "Ada’", "\xffAda 林晓", "Adа", "Ｊｏｎａｓ sings"} {
		f.Add(asked)
	}
	ix := spokenBy("Ada", "Jonas Weber", "林晓雯")
	f.Fuzz(func(t *testing.T, asked string) {
		put := ix.inFirstPerson(asked)
		assert.LessOrEqual(t, len(put), len(asked))
		assert.True(t, utf8.ValidString(put) || !utf8.ValidString(asked))
		text.AsksYou(asked)
	})
}
