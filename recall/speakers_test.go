package recall

import (
	"testing"

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
