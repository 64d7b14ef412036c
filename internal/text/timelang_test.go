package text

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestGermanAndSpanishTimes(t *testing.T) {
	// Wednesday
	ref := time.Date(2024, 5, 15, 14, 30, 0, 0, time.UTC)
	for in, want := range map[string]string{
		"Was hab ich gestern gemacht?":         "gestern 2024-05-14 2024-05-15",
		"vorgestern":                           "vorgestern 2024-05-13 2024-05-14",
		"heute Morgen um neun":                 "heute Morgen 2024-05-15 2024-05-15",
		"Morgen geht's los":                    "Morgen 2024-05-16 2024-05-17",
		"Guten Morgen!":                        "",
		"seit März":                            "seit März 2024-03-01 2024-05-16",
		"seit letzter Woche":                   "letzter Woche 2024-05-06 2024-05-16",
		"seit dem 3. April":                    "3. April 2024-04-03 2024-05-16",
		"seit Januar 2023 bei Siemens":         "seit Januar 2023 2023-01-01 2024-05-16",
		"desde marzo":                          "desde marzo 2024-03-01 2024-05-16",
		"desde el lunes":                       "el lunes 2024-05-13 2024-05-16",
		"kommenden Freitag":                    "kommenden Freitag 2024-05-17 2024-05-18",
		"el viernes que viene":                 "el viernes que viene 2024-05-17 2024-05-18",
		"jeden Montag, und montags":            "",
		"Am Morgen nehme ich Ramipril.":        "",
		"Früh am Morgen, am frühen Morgen":     "",
		"am Morgen des 3. Mai 2022":            "3. Mai 2022 2022-05-03 2022-05-04",
		"Am Dienstagmorgen":                    "Am Dienstagmorgen 2024-05-14 2024-05-14",
		"Wurzelbehandlung am 20. Februar":      "am 20. Februar 2024-02-20 2024-02-21",
		"am 3. Mai 2022":                       "am 3. Mai 2022 2022-05-03 2022-05-04",
		"der 14.2.":                            "der 14.2. 2024-02-14 2024-02-15",
		"am 20., hol ich":                      "am 20. 2024-04-20 2024-04-21",
		"vor zwei Wochen":                      "vor zwei Wochen 2024-04-29 2024-05-06",
		"in drei Tagen":                        "in drei Tagen 2024-05-18 2024-05-19",
		"in den letzten zehn Tagen":            "in den letzten zehn Tagen 2024-05-06 2024-05-16",
		"letzte Woche":                         "letzte Woche 2024-05-06 2024-05-13",
		"letztes Wochenende":                   "letztes Wochenende 2024-05-11 2024-05-13",
		"am Wochenende":                        "am Wochenende 2024-05-11 2024-05-13",
		"nächsten Dienstag":                    "nächsten Dienstag 2024-05-21 2024-05-22",
		"diesen Samstag":                       "diesen Samstag 2024-05-18 2024-05-19",
		"Freitagabend":                         "Freitagabend 2024-05-10 2024-05-11",
		"Freitag, den 3. Mai":                  "Freitag, den 3. Mai 2024-05-03 2024-05-04",
		"Am Freitag, den 3. Mai 2022":          "Am Freitag, den 3. Mai 2022 2022-05-03 2022-05-04",
		"Freitag, 3.5.2022":                    "Freitag, 3.5.2022 2022-05-03 2022-05-04",
		"im Januar 2023":                       "im Januar 2023 2023-01-01 2023-02-01",
		"im Sommer":                            "im Sommer 2023-06-01 2023-09-01",
		"zu Ostern":                            "zu Ostern 2024-03-29 2024-04-02",
		"zum Jahreswechsel":                    "zum Jahreswechsel 2023-12-31 2024-01-02",
		"über die Feiertage":                   "über die Feiertage 2024-03-29 2024-04-02",
		"Maidorf ist am Ende":                  "",
		"Mein Morgen, am nächsten Morgen":      "",
		"Bis Morgen, heute Morgen":             "Morgen 2024-05-16 2024-05-17; heute Morgen 2024-05-15 2024-05-15",
		"Montag bis Freitag":                   "Montag bis Freitag 2024-05-13 2024-05-18",
		"vom 1. März bis zum 5. April":         "1. März bis zum 5. April 2024-03-01 2024-04-06",
		"am 3. bis 5. Mai":                     "am 3. bis 5. Mai 2024-05-03 2024-05-06",
		"am 30. bis 2. Mai":                    "am 30. bis 2. Mai 2024-04-30 2024-05-03",
		"el 3 hasta el 5 de mayo":              "el 3 hasta el 5 de mayo 2024-05-03 2024-05-06",
		"Montag bis 5. Mai":                    "Montag 2024-05-13 2024-05-14; 5. Mai 2024-05-05 2024-05-06",
		"el 1/2 de la pizza, el 3/4 parte":     "",
		"llego el 24/7":                        "el 24/7 2023-07-24 2023-07-25",
		"gestern bis Freitag":                  "gestern 2024-05-14 2024-05-15; Freitag 2024-05-10 2024-05-11",
		"Ende April":                           "Ende April 2024-04-16 2024-05-01",
		"seit Anfang April":                    "seit Anfang April 2024-04-01 2024-05-16",
		"de lunes a viernes":                   "lunes a viernes 2024-05-13 2024-05-18",
		"a finales de abril de 2023":           "a finales de abril de 2023 2023-04-16 2023-05-01",
		"El 3/5/2023 nos casamos":              "El 3/5/2023 2023-05-03 2023-05-04",
		"el lunes 3/4":                         "el lunes 3/4 2024-04-03 2024-04-04",
		"el 5/13/2023":                         "5/13/2023 2023-05-13 2023-05-14",
		"el 14. Luego":                         "el 14 2024-05-14 2024-05-15",
		"el 15 por ciento, el 5 %, el 5,5":     "",
		"el 10 de la lista, el 2-1":            "",
		"¿Qué hice ayer?":                      "ayer 2024-05-14 2024-05-15",
		"anteayer":                             "anteayer 2024-05-13 2024-05-14",
		"anoche":                               "anoche 2024-05-14 2024-05-15",
		"esta mañana":                          "esta mañana 2024-05-15 2024-05-15",
		"mañana por la tarde":                  "mañana por la tarde 2024-05-16 2024-05-16",
		"cada mañana, los lunes, por la noche": "",
		"el 14 de febrero a las 9":             "el 14 de febrero 2024-02-14 2024-02-15",
		"el 31 de enero de 2026":               "el 31 de enero de 2026 2026-01-31 2026-02-01",
		"la semana pasada":                     "la semana pasada 2024-05-06 2024-05-13",
		"el fin de semana pasado":              "el fin de semana pasado 2024-05-11 2024-05-13",
		"el próximo martes":                    "el próximo martes 2024-05-21 2024-05-22",
		"el mes que viene":                     "el mes que viene 2024-06-01 2024-07-01",
		"este sábado":                          "este sábado 2024-05-18 2024-05-19",
		"el viernes":                           "el viernes 2024-05-10 2024-05-11",
		"hace dos semanas":                     "hace dos semanas 2024-04-29 2024-05-06",
		"en enero":                             "en enero 2024-01-01 2024-02-01",
		"el verano pasado":                     "el verano pasado 2023-06-01 2023-09-01",
		"en 2019":                              "en 2019 2019-01-01 2020-01-01",
		"Semana Santa":                         "Semana Santa 2024-03-24 2024-04-01",
		"un semanario y mayor":                 "",
	} {
		var got []string
		for _, s := range TimeSpans(in, ref) {
			got = append(got, s.Text+" "+s.Start.Format(time.DateOnly)+" "+s.End.Format(time.DateOnly))
		}
		assert.Equal(t, want, strings.Join(got, "; "), "%q", in)
	}
}

func TestAmbiguousFutureTimes(t *testing.T) {
	ref := time.Date(2024, 5, 15, 14, 30, 0, 0, time.UTC)
	for in, want := range map[string]string{
		"on Friday":         "2024-05-17 2024-05-18",
		"on 14 June":        "2024-06-14 2024-06-15",
		"in March":          "2025-03-01 2025-04-01",
		"next Friday":       "",
		"on 14 June 2024":   "",
		"last Friday":       "",
		"am Freitag":        "2024-05-17 2024-05-18",
		"am Freitagabend":   "2024-05-17 2024-05-18",
		"am 20. Juni":       "2024-06-20 2024-06-21",
		"am Wochenende":     "2024-05-18 2024-05-20",
		"zu Ostern":         "2025-04-18 2025-04-22",
		"letzten Freitag":   "",
		"el viernes":        "2024-05-17 2024-05-18",
		"el 20 de junio":    "2024-06-20 2024-06-21",
		"el viernes pasado": "",
		"周五":                "2024-05-17 2024-05-18",
		"6月20日":             "2024-06-20 2024-06-21",
		"上周五":               "",
		"2024年6月20日":        "",
	} {
		spans := TimeSpans(in, ref)
		if !assert.Len(t, spans, 1, in) {
			continue
		}
		got := ""
		if s := spans[0]; !s.NextStart.IsZero() {
			got = s.NextStart.Format(time.DateOnly) + " " + s.NextEnd.Format(time.DateOnly)
		}
		assert.Equal(t, want, got, in)
	}
}

// The next occurrence of a day has its number: the 31st is not followed by the 30th.
func TestNextOccurrences(t *testing.T) {
	for _, c := range []struct{ now, in, want string }{
		{"2026-02-05", "the 30th", "2026-03-30 2026-03-31"},
		{"2026-03-05", "the 28th", "2026-03-28 2026-03-29"},
		{"2026-04-03", "am 31.", "2026-05-31 2026-06-01"},
		{"2026-04-03", "29 February", "2028-02-29 2028-03-01"},
		{"2026-11-05", "el 31", "2026-12-31 2027-01-01"},
		{"2027-04-03", "in February", "2028-02-01 2028-03-01"},
		{"2026-11-25", "at the weekend", "2026-11-28 2026-11-30"},
		{"2026-11-25", "Montag bis Freitag", "2026-11-30 2026-12-05"},
		{"2026-11-25", "am 3. bis 5. Mai", "2027-05-03 2027-05-06"},
	} {
		now, err := time.Parse(time.DateOnly, c.now)
		require.NoError(t, err)
		spans := TimeSpans(c.in, now.Add(12*time.Hour))
		require.Len(t, spans, 1, c.in)
		assert.Equal(t, c.want, spans[0].NextStart.Format(time.DateOnly)+" "+spans[0].NextEnd.Format(time.DateOnly), c.in)
	}
}
