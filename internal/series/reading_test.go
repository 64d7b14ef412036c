package series

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// A message that reports a number and little else is an entry of a log.
func TestBareReadings(t *testing.T) {
	for message, values := range map[string][]string{
		"121/79 :)":                       {"121/79"},
		"63.4 !!":                         {"63.4"},
		"63,4 heute früh":                 {"63,4"},
		"Esta mañana 63,4":                {"63,4"},
		"61.8了 開心":                        {"61.8"},
		"早上61.8公斤":                        {"61.8公斤"},
		"今天跑了8.4公里":                       {"8.4公里"},
		"Log: 14.5 km with Ines, windy":   {"14.5 km"},
		"22 laps! my arms":                {"22 laps"},
		"22 Bahnen, Arme wie Pudding":     {"22 Bahnen"},
		"7 out of 10. slept badly":        {"7 out of 10"},
		"Stimmung: 7 von 10":              {"7 von 10"},
		"ánimo 7 de 10, cansada":          {"7 de 10"},
		"10.432 Schritte":                 {"10.432 Schritte"},
		"8,210 steps today":               {"8,210 steps"},
		"HbA1c 6.3, could be worse":       {"6.3"},
		"740 in the jar!":                 {"740"},
		"weight 63.4, 121/79":             {"63.4", "121/79"},
		"I mistyped that, it was 121/79.": {"121/79"},
	} {
		bare, _ := Bare(message)
		assert.True(t, bare, message)
		var got []string
		for _, r := range Of(message) {
			got = append(got, r.Value)
		}
		assert.Equal(t, values, got, message)
	}
}

// Dates, times, codes, prices, aims, scores, arithmetic and the numbers of others are none.
func TestWhatIsNoReading(t *testing.T) {
	for _, message := range []string{
		"", "17*23", "17 x 23", "148 + 94", "36乘7多少", "What is 148/94?", "78.6, is that good?", "12/24", "24/7", "50/50", "2025/26", "3.4.2026",
		"0937552816", "call 0664 1234567", "+43 664 123", "the code is 4471", "code 7713", "alarm 4471 now", "room 214", "page 120", "Seite 120", "Zimmer 12",
		"7:15 and 18:00", "3:1", "2-1 for us!", "18:30 Uhr", "14 Uhr", "8點", "三點半 8 點", "am 3.5", "on 12 March", "5th", "20%", "for 45 minutes",
		"Goal: 63.4", "under 63.4 kg", "I want to weigh 63.4", "Ziel 63,4", "quiero pesar 63,4", "目標63.4公斤", "lost 1.2 kg", "0.8 kg less", "瘦了1.2公斤", "not 63.4",
		"he's 127/81 of course", "she weighs 63.4", "er hat 127/81", "ella pesa 63,4", "他量127/81", "the wardrobe is 78.2 cm wide", "der Schrank ist 78,2 cm breit", "3 kg of flour",
		"$72.50", "14.90 €", "12 dollars an afternoon", "perindopril 4 mg", "4 mg", "34 minutes", "he is 13", "I'm 34", "two tickets please", "2 tickets please",
		"https://example.com/121/79", "```63.4```", "v1.2.3", "63.4.1", "b12 121x79", "-63.4", "+0.4", "63.4-64.1", "how many km are 63.4 miles?",
	} {
		bare, _ := Bare(message)
		assert.False(t, bare, message)
	}
}

// What stands beside a number in its own clause tells what it is of.
func TestReadingsBesideOtherWords(t *testing.T) {
	for message, rest := range map[string]int{"121/79 :)": 0, "this morning 121/79": 0, "121/79, on the couch": 1, "63.4 !!": 0, "63.4了": 0, "121/79. Anna called, the roof leaks, I need a plumber": 6} {
		of := Of(message)
		if assert.Len(t, of, 1, message) {
			assert.Equal(t, rest, of[0].Rest, message)
			assert.Equal(t, rest == 0, of[0].Pure, message)
		}
	}
}
