package inspector

import (
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/recall"
	"github.com/ebbmem/ebb/schema"
)

var capital = regexp.MustCompile(`([a-z])([A-Z])`)

// The page has words of its own for whatever a score, a state or an origin is called.
func TestThePageHasWordsForWhatItShows(t *testing.T) {
	for _, field := range reflect.VisibleFields(reflect.TypeFor[extension.Weights]()) {
		name := strings.ToLower(capital.ReplaceAllString(field.Name, "$1 $2"))
		require.Contains(t, signalNames, name)
	}
	for _, state := range schema.States {
		require.Contains(t, stateNames, string(state))
	}
	for _, origin := range []schema.Origin{schema.OriginUser, schema.OriginAssistant, schema.OriginToolInternal, schema.OriginToolExternal, schema.OriginFederation, schema.OriginImport, schema.OriginUnknown} {
		require.Contains(t, originNames, string(origin))
	}
	for _, arm := range recall.ArmNames {
		require.Contains(t, armNames, arm)
	}
	require.Contains(t, stageNames, "decay", "nights of older files have it")
	var run []string
	x, err := extension.Open(t.Context(), t.TempDir()+"/memory.db", &extension.Config{Night: extension.NightConfig{NoSchedule: true, Stages: func(defaults []extension.Stage) []extension.Stage {
		stages := slices.Clone(defaults)
		for _, profile := range []*extension.Config{extension.Dual(), extension.ThreeTier(), extension.Cognitive(), extension.FourStores()} {
			if profile.Night.Stages != nil {
				stages = append(stages, profile.Night.Stages(defaults)...)
			}
		}
		for _, stage := range stages {
			run = append(run, stage.Name())
		}
		return defaults
	}}})
	require.NoError(t, err)
	require.Subset(t, slices.Collect(maps.Keys(stageNames)), run)
	require.NoError(t, x.Close(t.Context()))
	require.Equal(t, "not so known", named(changeNames, "not_so_known"), "a name without words is shown as it is")
	for n, want := range map[int]string{1: "1st", 2: "2nd", 3: "3rd", 4: "4th", 11: "11th", 12: "12th", 13: "13th", 21: "21st", 112: "112th"} {
		require.Equal(t, want, ordinal(n))
	}
}

// Nights that change nothing are listed as one, and what a night did is a sentence.
func TestNightsInWords(t *testing.T) {
	says, quiet := summary([]extension.StageReport{
		{Name: "prune", Counts: map[string]int{"derived": 70, "fading": 13}},
		{Name: "extract", Outcomes: []extension.Outcome{{Kind: "add_fact", Status: "applied"}, {Kind: "add_fact", Status: "applied"}, {Kind: "add_fact", Status: "rejected"}, {Kind: "merge_entities", Status: "waiting"}}},
		{Name: "rate", Error: "the model is away"},
	})
	require.Equal(t, "Failed at importance; learnt a fact, 2 times; 1 to decide; 13 fading.", says)
	require.False(t, quiet)
	says, quiet = summary([]extension.StageReport{{Name: "prune", Counts: map[string]int{"derived": 70}}})
	require.Equal(t, "Nothing to change.", says)
	require.True(t, quiet)

	still, loud := entry{Quiet: true}, entry{}
	shown := folded([]entry{loud, still, still, still, loud, still})
	require.Len(t, shown, 4)
	require.Equal(t, 2, shown[1].More)
	require.Zero(t, shown[3].More)
}
