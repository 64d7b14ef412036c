package grounding

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestPartAbout(t *testing.T) {
	for _, c := range []struct{ earlier, later, part string }{
		{"I'm allergic to nuts and penicillin.", "Turns out I'm not allergic to penicillin.", "penicillin"},
		{"Ich bin allergisch gegen Nüsse und Penicillin", "Ich bin nicht mehr allergisch gegen Penicillin", "Penicillin"},
		{"I have asthma and diabetes", "I no longer have asthma", "I have asthma"},
		{"I'm vegan and allergic to nuts", "I'm not vegan anymore", "I'm vegan"},
		{"My daughter is allergic to eggs and so am I", "My daughter isn't allergic to eggs any more", "My daughter is allergic to eggs"},
		{"I take sertraline 50mg in the morning and omeprazole at night.", "Sertraline is up to 100mg now.", "I take sertraline 50mg in the morning"},
		{"Ich wohne in Köln, mein Bruder wohnt in Bonn.", "Mein Bruder ist nach Berlin gezogen.", "mein Bruder wohnt in Bonn"},
		{"I work at Bosch and my wife works at Aldi.", "My wife works at Lidl now.", "my wife works at Aldi"},
		{"Mi abuelo vive en Cádiz y mi abuela en Huelva.", "Mi abuelo murió.", "Mi abuelo vive en Cádiz"},
		{"Our cat Luna is 12 and our dog Max is 3.", "Luna died", "Our cat Luna is 12"},
		{"I have a Trek and a Brompton.", "I sold the Brompton.", "a Brompton"},
		{"我对花生和青霉素过敏", "我对青霉素不过敏了", "青霉素过敏"},
		{"I live in Bergen, near the harbour.", "I've moved to Oslo.", ""},
		{"I live in Bergen and work at the port.", "I've moved to Oslo.", ""},
		{"My rent is 780.", "My rent is 850 now.", ""},
		{"I have a Trek and a Brompton.", "I sold the Trek and the Brompton.", ""},
	} {
		assert.Equal(t, c.part, PartAbout(c.earlier, c.later), "%s / %s", c.earlier, c.later)
	}
}
