package series

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var monday = time.Date(2026, 3, 2, 8, 0, 0, 0, time.UTC)

// daily are statements of one speaker, one a day.
func daily(texts ...string) (statements []Statement) {
	for i, s := range texts {
		statements = append(statements, Statement{Text: s, Readings: Of(s), Said: monday.AddDate(0, 0, i)})
	}
	return statements
}

// valuesOf returns the values of each series, without those that were corrected.
func valuesOf(joined []Series) (values [][]string) {
	for _, s := range joined {
		var of []string
		for _, m := range s.Members {
			if m.CorrectedBy < 0 {
				of = append(of, m.Value)
			}
		}
		values = append(values, of)
	}
	return values
}

func TestReadingsOfOneQuantityAreJoined(t *testing.T) {
	for name, c := range map[string]struct {
		statements []string
		joined     [][]string
	}{
		"two numbers by a slash": {[]string{"121/79, pulse 64. My first one for you", "We need milk", "118/76 today, slept well", "124/81 :)"}, [][]string{{"121/79", "118/76", "124/81"}}},
		"a decimal alone":        {[]string{"So 63.4 on the scale, before breakfast.", "63.1 !!", "62.8 this morning"}, [][]string{{"63.4", "63.1", "62.8"}}},
		"its unit left out":      {[]string{"63.4 kg, let's go", "63.1", "62.8kg"}, [][]string{{"63.4 kg", "63.1", "62.8kg"}}},
		"distances":              {[]string{"Log: 14.5 km with Ines, windy", "Out to the lake and back, 18.2 km, swans!", "21.7 km!! longest yet", "Forgot to log Sunday: 16.3 km"}, [][]string{{"14.5 km", "18.2 km", "21.7 km", "16.3 km"}}},
		"counts":                 {[]string{"22 laps, then tea", "26 laps! my arms", "30 laps"}, [][]string{{"22 laps", "26 laps", "30 laps"}}},
		"points":                 {[]string{"mood for the log: 6 out of 10, tired", "3 out of 10. The roof leaks", "8 out of 10"}, [][]string{{"6 out of 10", "3 out of 10", "8 out of 10"}}},
		"an amount by its words": {[]string{"There's 350 in the jar tonight.", "740 in the jar!"}, [][]string{{"350", "740"}}},
		"German":                 {[]string{"Gewicht heute 63,4 kg, auf geht's", "63,1 heute früh", "62,8 :)", "121/79, Puls 64", "118/76 am Abend"}, [][]string{{"63,4 kg", "63,1", "62,8"}, {"121/79", "118/76"}}},
		"Spanish":                {[]string{"peso hoy 63,4 kg", "63,1 esta mañana", "62,8!! por fin", "14,5 km junto al río", "18,2 km, con viento"}, [][]string{{"63,4 kg", "63,1", "62,8"}, {"14,5 km", "18,2 km"}}},
		"Chinese":                {[]string{"剛剛量63.4公斤 不要笑", "63.1了 加油", "62.8 卡住了", "今天8.4公里 有風", "9.1公里！"}, [][]string{{"63.4公斤", "63.1", "62.8"}, {"8.4公里", "9.1公里"}}},
		"two at once":            {[]string{"weight 63.4, bp 121/79", "63.1", "118/76"}, [][]string{{"63.4", "63.1"}, {"121/79", "118/76"}}},
		"with a place, of a way": {[]string{"8.3 km in the rain", "9.1 km with the dog", "To the lake and back, 10.4 km"}, [][]string{{"8.3 km", "9.1 km", "10.4 km"}}},
		"of one lift":            {[]string{"62.5 kg squat", "63.4 kg", "65.5 kg squat"}, [][]string{{"62.5 kg", "65.5 kg"}}},
		"a word more":            {[]string{"Zucker 6,1", "Zucker nüchtern 5,8"}, [][]string{{"6,1", "5,8"}}},
		"by its word":            {[]string{"HbA1c 6.3, could be worse", "sugar 5.9", "HbA1c 6.1!"}, [][]string{{"6.3", "6.1"}}},
	} {
		t.Run(name, func(t *testing.T) { assert.Equal(t, c.joined, valuesOf(Join(daily(c.statements...)))) })
	}
}

// A number that only resembles those of a series is none of it.
func TestForeignNumbersAreNotJoined(t *testing.T) {
	for name, statements := range map[string][]string{
		"another person's":         {"121/79 today", "Mum: 148/94, poor thing"},
		"another person's first":   {"Mum: 148/94, poor thing", "141/90"},
		"somebody by name":         {"Ines 63.4", "63.1"},
		"an animal":                {"Pilchard 6.4 kg", "6.2"},
		"a relative in German":     {"Mama 148/94", "141/90"},
		"a relative in Chinese":    {"婆婆148/94", "141/90"},
		"another's in the clause":  {"121/79 today", "Ines tried the cuff, she's 118/76"},
		"a thing's size":           {"The shelf is 63.4 cm wide", "63.1"},
		"sizes without a unit":     {"library wall: 4.12 wide", "cupboards for the lab, 2.18 wide"},
		"sizes in German":          {"bibliothek wegener: 4,12 breit, 2,71 hoch", "schränke für den steriraum, 2,18 breit"},
		"far away":                 {"63.4", "84.2"},
		"other decimals":           {"63.4 on the scale", "63.25 at the vet"},
		"other units":              {"14.5 km today", "14.2 miles today"},
		"prices":                   {"389 dollars for the brakes", "412 dollars. The vet kept a straight face"},
		"prices of different":      {"960 for an alternator", "740 in the jar!"},
		"a target":                 {"63.4 on the scale", "Goal: 60.5"},
		"a difference":             {"1.2 kg today", "lost 1.4 kg"},
		"a drive":                  {"14.5 km before breakfast", "Drove 16.2 km to the airport"},
		"an address":               {"30 laps", "number 28, Mill Lane"},
		"a guess between two":      {"pain 3 out of 10", "mood 6 out of 10", "4 out of 10"},
		"another quantity by name": {"weight 63.4", "sugar 62.9"},
		"phone numbers":            {"0664 123 456", "0664 123 457"},
		"codes":                    {"4471 at the door", "code 4480"},
		"scores":                   {"21/15", "21/18"},
		"of somebody's turn":       {"Rob's turn, 128/84", "121/79"},
		"of somebody before it":    {"121/79", "Rob had a go too. 128/84"},
		"of a relative, a pause":   {"121/79", "Dad, 128/84"},
		"of a neighbour, Chinese":  {"121/79", "隔壁王太太 128/84"},
		"by somebody":              {"30 laps", "26 laps by Tom"},
		"of a baby":                {"4.2 kg baby", "4.4 kg"},
		"another's by one word":    {"HbA1c 6.3", "Mum HbA1c 7.1"},
		"scores of a test":         {"121/150 on the mock", "128/150 on the second"},
		"parts of a whole":         {"148/152 pass", "150/152 pass"},
		"tyres":                    {"205/55", "205/55 again"},
		"pull requests":            {"PR 148/94 merged", "PR 151/96 up"},
		"versions":                 {"Release 4.2", "Release 4.3"},
		"versions alone":           {"4.2 is out", "4.3 is out"},
		"times":                    {"8.30 school", "8.45 school"},
		"two rooms":                {"21.5 in the bedroom", "19.5 in the kitchen"},
		"two rooms, Chinese":       {"臥室 21.5度", "廚房 20.9度"},
		"out of doors":             {"21.5°C", "19.5°C outside"},
		"two doors":                {"4471 opens the front door", "4480 opens the back door"},
		"two accounts":             {"4200 in savings account", "3900 in the current account"},
		"two medicines":            {"5.5 ml ibuprofen", "7.5 ml paracetamol"},
		"doses":                    {"12 units", "14 units"},
		"points for things":        {"8 out of 10 for the pasta", "6 out of 10 for the pizza"},
		"points of two":            {"3 out of 10 pain", "6 out of 10 mood"},
		"a suitcase":               {"63.4 kg", "61.2 kg suitcase"},
		"another unit alone":       {"63.4", "63.1 tonnes"},
		"another word alone":       {"63.4", "63.1 ferritin"},
		"a way somewhere":          {"5.4 km", "6.1 km to the office"},
		"a dream":                  {"weight 63.4 kg", "dream weight 60.5 kg"},
		"an aim by a month":        {"63.4 kg", "60.5 kg by June"},
		"an aim, German":           {"63,4 kg", "60,5 kg wären toll"},
		"long ago":                 {"63.4 kg", "60.5 kg back then"},
		"a limit":                  {"121/79", "130/80 is the limit"},
		"what is ideal":            {"121/79", "120/80 would be perfect"},
		"an amount of a thing":     {"23 kilos of rye", "24 kilos of beer"},
	} {
		t.Run(name, func(t *testing.T) { assert.Empty(t, valuesOf(Join(daily(statements...)))) })
	}
	two := daily("121/79", "118/76")
	two[1].Speaker = "Ines"
	assert.Empty(t, Join(two), "another speaker")
}

// A correction takes the place of the reading of the day that it names, or of the last one.
func TestCorrections(t *testing.T) {
	for name, c := range map[string]struct {
		statements []string
		values     []string
		day        time.Time // of the corrected reading
	}{
		"of a named day": {[]string{"121/79", "this morning 131/78", "118/76", "I read Tuesday's wrong. It was 121/78."}, []string{"121/79", "118/76", "121/78"}, monday.AddDate(0, 0, 1)},
		"of the last":    {[]string{"63.4 kg", "69.2 kg", "Typo! It was 62.9 kg"}, []string{"63.4 kg", "62.9 kg"}, monday.AddDate(0, 0, 1)},
		"with the wrong": {[]string{"121/79", "131/78", "131/78 was wrong, it was 121/78"}, []string{"121/79", "121/78"}, monday.AddDate(0, 0, 1)},
		"in German":      {[]string{"63,4", "63,9", "Vertippt, 63,1"}, []string{"63,4", "63,1"}, monday.AddDate(0, 0, 1)},
		"in Spanish":     {[]string{"63,4", "63,9", "me equivoqué, 63,1"}, []string{"63,4", "63,1"}, monday.AddDate(0, 0, 1)},
		"in Chinese":     {[]string{"63.4公斤", "63.9公斤", "打錯 63.1公斤"}, []string{"63.4公斤", "63.1公斤"}, monday.AddDate(0, 0, 1)},
	} {
		t.Run(name, func(t *testing.T) {
			joined := Join(daily(c.statements...))
			require.Len(t, joined, 1)
			assert.Equal(t, c.values, valuesOf(joined)[0])
			last := joined[0].Members[len(joined[0].Members)-1]
			assert.True(t, sameDay(c.day, last.At), last.At)
		})
	}
	assert.Empty(t, Join(daily("I mistyped that, it was 121/79.")), "of nothing known")
}

// Whatever was said, a series is of one speaker and one form, in the order in which it was said.
func TestSeriesAreOfOneKind(t *testing.T) {
	pool := []string{"121/79", "118/76 today", "63.4 kg", "63.1", "62.8 !!", "14.5 km with Ines", "18.2 km", "22 laps", "26 laps!", "6 out of 10", "740 in the jar!", "350 in the jar", "Mum: 141/88",
		"Typo! 62.9", "the code is 4471", "sugar 5.9", "5.4 before lunch", "", "We need milk", "12/24", "17*23", "61.8公斤", "8.4公里", "99 red balloons", "Ines 64.2"}
	random := rand.New(rand.NewPCG(48, 1))
	for range 300 {
		var statements []Statement
		for i := range random.IntN(30) {
			said := pool[random.IntN(len(pool))]
			s := Statement{Text: said, Readings: Of(said), Said: monday.AddDate(0, 0, i)}
			if random.IntN(4) == 0 {
				s.Speaker = "Ines"
			}
			statements = append(statements, s)
		}
		for _, s := range Join(statements) {
			require.GreaterOrEqual(t, len(s.Members), 2)
			for i, m := range s.Members {
				first := s.Members[0]
				require.Contains(t, statements[m.Statement].Text, m.Value)
				require.Equal(t, statements[first.Statement].Speaker, statements[m.Statement].Speaker)
				require.Len(t, m.numbers, len(first.numbers))
				require.Equal(t, first.form == outOf, m.form == outOf)
				require.True(t, i == 0 || m.Statement > s.Members[i-1].Statement)
			}
			require.GreaterOrEqual(t, s.Newest(), 0)
		}
		if len(statements) > 0 { // what is left out of the end changes nothing before it
			cut := len(statements) - 1
			var of []Series
			for _, s := range Join(statements) {
				s.Members = slices.DeleteFunc(slices.Clone(s.Members), func(m Member) bool { return m.Statement >= cut })
				if len(s.Members) > 1 {
					of = append(of, s)
				}
			}
			without := Join(statements[:cut])
			require.Len(t, without, len(of))
			for i := range of {
				require.Equal(t, members(without[i]), members(of[i]))
			}
		}
	}
}

func members(s Series) string {
	var of []string
	for _, m := range s.Members {
		of = append(of, m.Value+m.At.Format(time.DateOnly))
	}
	return strings.Join(of, " ")
}

func BenchmarkJoin(b *testing.B) {
	statements := daily("121/79 today", "We need milk and 12 eggs from the shop", "63.4 !!", "Log: 14.5 km with Ines, windy", "The dentist is on 12 March at 14:30, don't let me forget it again please", "22 laps! my arms", "I live at number 28, Mill Lane, and have done for 34 years now")
	for b.Loop() {
		Join(statements)
	}
}
