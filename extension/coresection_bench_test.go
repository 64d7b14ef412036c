package extension

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/eventbus"
)

var statementsTold = flag.Int("statements", 2_000, "how many messages BenchmarkStatements stores")

// BenchmarkStatements measures, for a user who mostly states things, background work a message, what
// a turn waits for after one new message, and after none.
func BenchmarkStatements(b *testing.B) {
	at := time.Date(2025, 1, 6, 8, 0, 0, 0, time.UTC)
	x, err := Open(b.Context(), b.TempDir()+"/memory.db", &Config{Now: func() time.Time { return at }, Night: NightConfig{NoSchedule: true}})
	require.NoError(b, err)
	defer func() { require.NoError(b, x.Close(b.Context())) }()
	says := &statements{rand.New(rand.NewPCG(1, 2))}
	tell := func(n int) {
		events := make([]eventbus.Event, n)
		for i := range events {
			at = at.Add(7 * time.Hour)
			events[i] = eventbus.UserMessage(Scope{User: "ada", Session: at.Format(time.DateOnly)}, says.message())
			events[i].OccurredAt = at
		}
		require.NoError(b, x.Bus().Publish(b.Context(), events...))
		require.NoError(b, x.WaitIdle(b.Context()))
	}
	start := time.Now()
	for range *statementsTold / 100 {
		tell(100)
	}
	read := time.Since(start)
	s, err := x.Session(Scope{User: "ada", Session: "now"})
	require.NoError(b, err)
	var first, second []time.Duration
	preview := func() time.Duration {
		start := time.Now()
		found, err := s.Preview(b.Context(), "Where does Ottoline want to meet on Friday, and what do I bring?")
		require.NoError(b, err)
		require.NotEmpty(b, found.Profile)
		return time.Since(start)
	}
	preview()
	for b.Loop() {
		tell(1)
		first = append(first, preview())
		second = append(second, preview())
	}
	lines, err := x.ownLines(b.Context(), s.scope)
	require.NoError(b, err)
	all, _ := lines.All()
	b.ReportMetric(float64(len(all)), "lines")
	b.ReportMetric(float64(read.Microseconds())/float64(*statementsTold), "µs-read/message")
	for unit, took := range map[string][]time.Duration{"ms-first": first, "ms-second": second} {
		slices.Sort(took)
		b.ReportMetric(float64(took[len(took)/2].Microseconds())/1000, unit)
	}
}

// statements invents what a user says.
type statements struct{ *rand.Rand }

var slot = regexp.MustCompile(`\{(\w+)\}`)

// message returns one to three sentences.
func (s *statements) message() string {
	var said []string
	for range 1 + s.IntN(3)*s.IntN(2) {
		said = append(said, s.fill(s.of("sentence")))
	}
	return strings.Join(said, " ")
}

func (s *statements) of(what string) string {
	switch what {
	case "n":
		return fmt.Sprint(2 + s.IntN(90))
	case "code":
		return fmt.Sprint(1000 + s.IntN(9000))
	case "place": // "Marwick"
		return s.of("onset") + s.of("end")
	}
	all := statementParts[what]
	return all[s.IntN(len(all))]
}

func (s *statements) fill(form string) string {
	for slot.MatchString(form) {
		form = slot.ReplaceAllStringFunc(form, func(of string) string { return s.of(strings.Trim(of, "{}")) })
	}
	return form
}

var statementParts = map[string][]string{
	"onset":   strings.Fields("Otto Mar Bel Tam Ros Quen Ild Fen Har Jos Lud Ner Pet Sab Thad Vi Wil Yar Zel Cor Dun Emm Gwen Ine Kes"),
	"end":     strings.Fields("wick ford ham stead bury mouth dale thorpe hausen berg weiler mar illo ona"),
	"name":    strings.Fields("Ottoline Marbert Tamina Roswyn Fenella Jost Ludmila Nerys Petra Sabine Thaddeus Viktor Wilma Yara Zelda Corin Duncan Emmerich Gwen Ines Kester Bela Ilda Quentin Harald Osric Prudence Leopold Agathe Benedikt"),
	"kin":     strings.Fields("cousin neighbour landlord boss dentist aunt flatmate physio plumber godson"),
	"thing":   strings.Fields("bike boiler kayak cello loom tent scooter freezer greenhouse piano telescope drill pram caravan accordion beehive lathe printer saddle wetsuit"),
	"colour":  strings.Fields("green ochre navy crimson teal grey maroon white"),
	"food":    strings.Fields("walnuts coriander oysters rye lentils kefir aubergine mustard celery prawns figs tofu beetroot anchovies"),
	"job":     strings.Fields("bookbinder surveyor nurse baker archivist welder translator florist teacher pilot"),
	"club":    {"choir", "rowing club", "chess evening", "pottery class", "allotment society", "reading circle", "fencing group", "band"},
	"weekday": strings.Fields("Monday Tuesday Wednesday Thursday Friday Saturday Sunday"),
	"month":   strings.Fields("January February March April May June July August September October November December"),
	"act":     strings.Fields("repair sell borrow paint insure measure clean replace lend photograph"),
	"feeling": {"it drives me mad", "I'm over the moon", "no idea why", "which suits me", "long story", "not that anybody asked", "finally", "so that's that"},
	"who":     {"{name}", "my {kin}", "my sister Ottoline", "my brother Jost", "my daughter Yara", "my boss Harald", "{name} from the {club}", "our {kin}", "{name}'s {kin}"},
	"when":    {"on {weekday}", "in {month}", "on {n} {month}", "next {weekday}", "since {month}", "tomorrow", "every {weekday}", "at {n} past eight"},
	"clause": {
		"{who} works as a {job} in {place}", "{who} is allergic to {food}", "I keep the {thing} in {place}", "the {thing} belongs to {who}",
		"{who} has moved to {place}", "we meet {who} {when}", "{who} can't stand {food}", "I've stopped eating {food}", "I play in the {club}",
		"I left the {club} {when}", "{who} is expecting a baby {when}", "the code for the {thing} is {code}", "I sold the {colour} {thing} to {who}",
		"{who} turns {n} {when}", "I pay {who} {code} a month for the {thing}", "the {club} is now {when}", "{who} got the job as a {job}",
		"I'd rather {act} the {thing} than buy a new one", "{who} gave me a {colour} {thing}", "I live in {place} with {who}", "the {thing} cost me {code}",
		"my insulin is {n} units now", "{who} wants to {act} my {thing} {when}", "the wedding of {name} and {name} is {when}", "I'm learning to {act} a {thing}",
		"{who} broke up with {name}", "the lease in {place} ends {when}", "I switched from {food} to {food}", "I call my {thing} {name}",
		"{who} lends me the {thing} {when}", "I was born in {place}", "I had surgery {when}", "the {club} in {place} has closed", "I owe {who} {n} euros",
	},
	"sentence": {
		"{clause}.", "{clause}, {feeling}.", "{clause} and {clause}.", "So {clause}!", "By the way, {clause}.", "Turns out {clause}.", "{clause}, but {clause}.",
		"{clause}. He'd like it by {when}.", "{clause}. She told them {n} for it.", "{clause} because {clause}.", "{name} wrote, it's off.", "Told him {n} for the {thing}.",
		"Remember that {clause}.", "Can you word a note to {who} about the {thing}?", "What goes with {food}?", "Thanks, that helped!", "{n}.{n} km, windy.", "13{n}/8{n} :)",
		"Please answer in {n} words when I ask about {food}.", "It's Noelle's {thing}, not mine: {clause}.", "No more {food} for me, {feeling}.", "{who} instead of {name} {when}.",
		"Meine Schwester Ottoline wohnt jetzt in {place} und arbeitet am {n}. an der Schule.", "Ich habe {name} das {thing} geliehen, er bringt es {n} Tage später.", "Der Code vom Keller ist {code}.",
		"Paul hat ihm gleich das {thing} gezeigt, {name} war dabei.", "Mi hermano Jost vive en {place} y ya no come pan.", "Trabajo con {name} en {place} desde {month}.", "La clave del garaje es {code}.",
		"我妹妹住在{place}，现在不吃{food}了。", "我{n}号跟{name}去{place}，他会带{thing}。", "门锁密码是{code}。",
	},
}
