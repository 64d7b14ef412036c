package text

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestTimeSpans(t *testing.T) {
	// Wednesday
	ref := time.Date(2024, 5, 15, 14, 30, 0, 0, time.UTC)
	for in, want := range map[string]string{
		"todays list":                       "todays 2024-05-15 2024-05-16",
		"yesterday":                         "yesterday 2024-05-14 2024-05-15",
		"We met the day before yesterday.":  "the day before yesterday 2024-05-13 2024-05-14",
		"last week":                         "last week 2024-05-06 2024-05-13",
		"this weekend":                      "this weekend 2024-05-18 2024-05-20",
		"next month":                        "next month 2024-06-01 2024-07-01",
		"last Friday":                       "last Friday 2024-05-10 2024-05-11",
		"the Friday before last":            "the Friday before last 2024-05-03 2024-05-04",
		"the Sunday after Easter 2025":      "the Sunday after Easter 2025 2025-04-27 2025-04-28",
		"next Friday":                       "next Friday 2024-05-24 2024-05-25",
		"this Friday":                       "this Friday 2024-05-17 2024-05-18",
		"see you Wednesday":                 "Wednesday 2024-05-08 2024-05-09",
		"Friday next week":                  "Friday next week 2024-05-24 2024-05-25",
		"in March":                          "in March 2024-03-01 2024-04-01",
		"in December":                       "in December 2023-12-01 2024-01-01",
		"back in May":                       "in May 2024-05-01 2024-06-01",
		"March 3rd":                         "March 3rd 2024-03-03 2024-03-04",
		"on 5 May 2023":                     "5 May 2023 2023-05-05 2023-05-06",
		"the 24th":                          "the 24th 2024-04-24 2024-04-25",
		"on the 20th of next month":         "the 20th of next month 2024-06-20 2024-06-21",
		"3 days ago":                        "3 days ago 2024-05-12 2024-05-13",
		"two weeks ago":                     "two weeks ago 2024-04-29 2024-05-06",
		"in two weeks' time":                "in two weeks' time 2024-05-27 2024-06-03",
		"the last two weeks":                "the last two weeks 2024-05-02 2024-05-16",
		"in 2021":                           "in 2021 2021-01-01 2022-01-01",
		"the 1990s":                         "the 1990s 1990-01-01 2000-01-01",
		"last summer":                       "last summer 2023-06-01 2023-09-01",
		"early next year":                   "early next year 2025-01-01 2025-07-02",
		"since last summer":                 "since last summer 2023-06-01 2024-05-16",
		"before 2020":                       "before 2020 0001-01-01 2020-01-01",
		"from November to January":          "from November to January 2023-11-01 2024-02-01",
		"between 2019 and 2021":             "between 2019 and 2021 2019-01-01 2022-01-01",
		"from March to May 2020":            "from March to May 2020 2020-03-01 2020-06-01",
		"the week of 23 March 2026":         "the week of 23 March 2026 2026-03-23 2026-03-30",
		"Easter 2025":                       "Easter 2025 2025-04-20 2025-04-21",
		"New Year's Eve":                    "New Year's Eve 2023-12-31 2024-01-01",
		"Thanksgiving":                      "Thanksgiving 2023-11-23 2023-11-24",
		"2024-02-29":                        "2024-02-29 2024-02-29 2024-03-01",
		"13/5/2023":                         "13/5/2023 2023-05-13 2023-05-14",
		"the first Monday of April 2024":    "the first Monday of April 2024 2024-04-01 2024-04-02",
		"Q3 2023":                           "Q3 2023 2023-07-01 2023-10-01",
		"1 month and 3 days ago":            "1 month and 3 days ago 2024-04-12 2024-04-13",
		"the end of the month":              "the end of the month 2024-05-16 2024-06-01",
		"rest of the week":                  "rest of the week 2024-05-15 2024-05-20",
		"im Oktober":                        "im Oktober 2023-10-01 2023-11-01",
		"May I ask you to march":            "",
		"2023-02-30":                        "",
		"every Sunday, on Mondays":          "",
		"choir Tuesday nights":              "",
		"at 5pm, 24/7, version 1.2.2023.4":  "",
		"in 2000 steps, page 2021":          "",
		"he sat in the sun, second to none": "",
		"the 24th floor":                    "",
		"9999 centuries ago":                "",
	} {
		got := ""
		for _, s := range TimeSpans(in, ref) {
			got += s.Text + " " + s.Start.Format(time.DateOnly) + " " + s.End.Format(time.DateOnly)
		}
		assert.Equal(t, want, got, "%q", in)
	}
}

func TestTimeSpansNarrowToPartsOfTheDay(t *testing.T) {
	loc, err := time.LoadLocation("Europe/Oslo")
	assert.NoError(t, err)
	ref := time.Date(2024, 5, 15, 0, 30, 0, 0, loc)
	for in, want := range map[string][2]string{
		"tomorrow at 5pm":        {"2024-05-16T17:00:00+02:00", "2024-05-16T18:00:00+02:00"},
		"2024-03-01T12:30":       {"2024-03-01T12:30:00+01:00", "2024-03-01T12:31:00+01:00"},
		"last nights":            {"2024-05-14T18:00:00+02:00", "2024-05-15T06:00:00+02:00"},
		"last night":             {"2024-05-14T18:00:00+02:00", "2024-05-15T06:00:00+02:00"},
		"Monday morning":         {"2024-05-13T05:00:00+02:00", "2024-05-13T12:00:00+02:00"},
		"the evening of 1 March": {"2024-03-01T17:00:00+01:00", "2024-03-02T00:00:00+01:00"},
	} {
		got := TimeSpans(in, ref)
		if assert.Len(t, got, 1, in) {
			assert.Equal(t, in, got[0].Text)
			assert.Equal(t, want, [2]string{got[0].Start.Format(time.RFC3339), got[0].End.Format(time.RFC3339)}, in)
		}
	}
}
