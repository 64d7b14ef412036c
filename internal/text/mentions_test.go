package text

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestMentions(t *testing.T) {
	for in, want := range map[string]string{
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
	} {
		var got []string
		for _, m := range Mentions(in) {
			got = append(got, fmt.Sprintf("%s:%s", m.Type, m.Text))
		}
		assert.Equal(t, want, strings.Join(got, " "), "%q", in)
	}
}
