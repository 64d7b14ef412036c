package text

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestMentions(t *testing.T) {
	wantMentions(t, map[string]string{
		"Thanks Anna! I'm off to New York on Monday.":                  "name:Anna name:New York date:Monday",
		"Hey Mel! Yeah, Mary Ann O'Neil runs Project Alpha.":           "name:Mel name:Mary Ann O'Neil name:Project Alpha",
		"We saw Anna, Bob and Clara at the Bank of Norway.":            "name:Anna name:Bob name:Clara name:Bank of Norway",
		"NASA and the UK agreed. THIS IS SO GREAT":                     "name:NASA name:UK",
		"Lunch was great. Lisbon was too. Will do. Hope so. May I?":    "name:Lisbon",
		"Rose's cake! I asked Hope. Hope said yes.":                    "name:Rose name:Hope name:Hope",
		"Виктор приехал, с ним Лена":                                   "name:Виктор name:Лена",
		"my iPhone, GitHub, Node.js, userId, config.Load and main.go":  "name:iPhone name:GitHub name:Node.js",
		"## Shopping List\n- **Next Steps**: call Dr. Hansen":          "name:Dr. Hansen",
		"Aunt Rosa's flat is near Mum and Dad":                         "name:Aunt Rosa",
		"`Foo Bar` and\n```\nAlpha Beta\n```\nso Gamma it is":          "name:Gamma",
		"I read \"The Name of the Wind\" by J. R. R. Tolkien":          "name:The Name of the Wind name:J. R. R. Tolkien",
		"see https://x.org/a_(b)), [y](http://y.io/z) or www.foo.com.": "url:https://x.org/a_(b) url:http://y.io/z url:www.foo.com",
		"mail a.b@c.org or @anna_k, not @Override or #418":             "email:a.b@c.org handle:@anna_k",
		"#running beats #fff and C# ;# Agenda":                         "hashtag:#running",
		"from March to April, in two weeks, every Sunday at 5pm":       "date:March date:April date:in two weeks date:every Sunday",
		"Berlin-based Anna's French lessons":                           "name:Berlin name:Anna",
		"Ich habe gestern mit Petra in Berlin den Kuchen gegessen":     "date:gestern name:Petra name:Berlin",
		"AND THEN ANNA SHOUTED VERY LOUD":                              "",
	})
}

func TestAmbiguousNames(t *testing.T) {
	wantMentions(t, map[string]string{
		"Will Turner called me.":             "name:Will Turner",
		"Will Turner and Anna left.":         "name:Will Turner name:Anna",
		"Dear Will Turner,":                  "name:Will Turner",
		"Will Anna come?":                    "name:Anna",
		"Will Anna come":                     "name:Anna",
		"Will you come? May I?":              "",
		"May Chen is here.":                  "name:May Chen",
		"I met May Chen.":                    "name:May Chen",
		"May Anna rest.":                     "name:Anna",
		"In May Anna left.":                  "date:In May name:Anna",
		"It rained since May Anna was there": "date:May name:Anna",
		"April Jones lives here.":            "name:April Jones",
		"the April Report":                   "date:April name:Report",
		"Hope said yes. Jack called.":        "name:Hope name:Jack",
		"Hope you are well. Jack it up.":     "",
	})
}

func TestNamesAcrossUnusualSpaces(t *testing.T) {
	wantMentions(t, map[string]string{
		"We met Anna  Berg.":          "name:Anna  Berg",
		"We met Dr.  Hansen.":         "name:Dr.  Hansen",
		"We met Anna\u00a0Berg.":      "name:Anna\u00a0Berg",
		"We met Anna\u200b Berg.":     "name:Anna\u200b Berg",
		"We like the Bank  of Norway": "name:Bank  of Norway",
		"Later.  Anna and Berg":       "name:Anna name:Berg",
		"In Oslo\tBerlin     Paris":   "name:Oslo name:Berlin name:Paris",
		"In Oslo\nBerlin":             "name:Oslo name:Berlin",
	})
}

func TestGreetingsAreNotNames(t *testing.T) {
	wantMentions(t, map[string]string{
		"Happy Birthday Anna! Good Morning, Uwe. Good Night Noor": "name:Anna name:Uwe name:Noor",
		"Merry Christmas Noor": "date:Christmas name:Noor",
	})
}

// A sentence in another language opens with a capital, too.
func TestForeignOpenersAreNotNames(t *testing.T) {
	wantMentions(t, map[string]string{
		"Leider regnet es. Vielleicht kommt Petra.":       "name:Petra",
		"Guten Morgen Uwe! Vielen Dank! Liebe Grüße":      "name:Uwe",
		"Können wir reden? Welche Seiten sind fertig?":    "",
		"Mein Bruder wohnt in Hamburg.":                   "name:Hamburg",
		"Quiero ver a Carmen. También me gusta. Sí.":      "name:Carmen",
		"¿Dónde está Pedro? Muchas gracias. Creo que no.": "name:Pedro",
		"Peut-être plus tard. Coucou Bruno! Oui.":         "name:Bruno",
		"Jeg bor i Oslo. Ik ben moe.":                     "name:Oslo",
		"Van Gogh painted it. We saw Du Bois.":            "name:Van Gogh name:Du Bois",
	})
}

func wantMentions(t *testing.T, cases map[string]string) {
	t.Helper()
	for in, want := range cases {
		var got []string
		for _, m := range Mentions(in) {
			got = append(got, fmt.Sprintf("%s:%s", m.Type, m.Text))
		}
		assert.Equal(t, want, strings.Join(got, " "), "%q", in)
	}
}
