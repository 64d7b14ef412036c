package grounding

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestTemporal(t *testing.T) {
	said := time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC)
	for content, want := range map[string]string{
		"Ada is allergic to cashews.":                  "state",
		"Ada lives in Oslo.":                           "state",
		"Ada moved to Oslo in March 2024.":             "state",
		"Ada's birthday is on 12 May.":                 "state",
		"Ada has been a vegan since June 2019.":        "state",
		"Ada swims every Tuesday.":                     "state",
		"I have choir Tuesday nights.":                 "state",
		"The cleaner comes on Wednesday.":              "state",
		"The plumber is coming on Wednesday.":          "event",
		"The plumber comes on 14 March.":               "event",
		"I get paid on the 25th.":                      "state",
		"I get paid on Friday for the job.":            "event",
		"The plumber comes on Tuesday.":                "event",
		"My mother comes on Friday for the weekend.":   "event",
		"The surgeon comes on Monday to operate.":      "event",
		"The choir sings on Saturday at the wedding.":  "event",
		"Anna teaches on Friday instead of Ben.":       "event",
		"Ada volunteers at the shelter on Saturday.":   "state",
		"Ada prefers to meet on Tuesday.":              "state",
		"Ada works at Nordbank from March 2024 on.":    "state",
		"Ada's sister is called May.":                  "state",
		"Ada was born on 3 May 1990.":                  "state",
		"Ada's day off is now Tuesday.":                "state",
		"Elena nació un 22 de febrero.":                "state",
		"林禾现在改为周五居家办公。":                                "state",
		"林禾学陶艺两年了,周末常去。":                               "state",
		"The dentist appointment is now on 14 March.":  "event",
		"Ada's dentist appointment is on 14 March.":    "event",
		"The meeting with Tom is tomorrow at 10.":      "event",
		"Ada visited Rome in May 2025.":                "event",
		"The wedding is on 12 June 2026.":              "event",
		"Ada will fly to Rome.":                        "plan",
		"Ada plans to run a marathon in June.":         "plan",
		"Ada is going to work in Bergen.":              "plan",
		"Ada wird im Sommer nach Rom fliegen.":         "plan",
		"Ada va a visitar Lima.":                       "plan",
		"她打算去罗马。":                                      "plan",
		"她住在奥斯陆。":                                      "state",
		"Ada hat am 3. Mai 2026 einen Zahnarzttermin.": "event",
	} {
		require.Equal(t, want, Temporal(content, said), content)
	}
}
