package planner

import (
	"regexp"
	"strings"

	"github.com/ebbmem/ebb/internal/text"
)

// Category is the kind of answer that a question expects (HyDE).
type Category string

// The categories.
const (
	Definition Category = "definition"
	HowTo      Category = "howto"
	Reasoning  Category = "reasoning"
	Lookup     Category = "lookup"
	Technical  Category = "technical"
	Likes      Category = "preference"
	Other      Category = "general"
)

// templates are how answers of a category read; %s stands for the topic.
type templates struct {
	category Category
	pattern  *regexp.Regexp
	en, tr   []string
}

// The first category that matches decides. That of no pattern is the last.
var categories = []templates{
	{
		Technical, words(`error|bug|debug|exception|stack trace|crash\w*|config\w*|api|code|compile\w*|deploy\w*|database|docker|hata\w*|kod\w*|yapilandirma\w*|ayar\w*|derle\w*`),
		[]string{"The problem with %s was fixed by a change of the code or the configuration.", "%s is configured as follows.", "The error in %s was caused by a bug."},
		[]string{"%s ile ilgili sorun kodda veya yapılandırmada bir değişiklikle çözüldü.", "%s şu şekilde yapılandırılmıştır.", "%s hatasının nedeni bulundu."},
	},
	{
		HowTo, words(`how (?:to|do i|do we|can i|can we|does one|should i)|steps? to|nasil`),
		[]string{"To do %s, follow these steps.", "%s is done like this.", "The way to %s is described here."},
		[]string{"%s için şu adımlar izlenir.", "%s şöyle yapılır."},
	},
	{
		Reasoning, words(`why|how come|the reason|neden|nicin|niye|sebebi`),
		[]string{"The reason for %s is this.", "%s happened because of this.", "%s was decided because of this."},
		[]string{"%s nedeni şudur.", "%s bu yüzden oldu."},
	},
	{
		Likes, words(`prefers?|favou?rites?|likes?|loves?|enjoys?|hates?|dislikes?|tercih\w*|sever\w*|sevdigi\w*|seviyor\w*|favori\w*|hoslan\w*|nefret`),
		[]string{"I like %s.", "The favourite is %s.", "I prefer %s and dislike the rest."},
		[]string{"%s severim.", "En sevdiğim %s.", "%s tercih ederim."},
	},
	{
		Lookup, words(`where|which|find|located|address|nerede|nereye|nereden|hangi|bul`),
		[]string{"%s is located here.", "%s can be found at this place."},
		[]string{"%s burada bulunur.", "%s şu yerdedir."},
	},
	{
		Definition, words(`what (?:is|are|was|were|does .* mean)|whats|define|meaning of|nedir|ne demek|tanimi`),
		[]string{"%s is the following.", "%s means the following.", "By %s we understand the following."},
		[]string{"%s şudur.", "%s şu anlama gelir."},
	},
	{
		Other, nil,
		[]string{"This is about %s.", "We talked about %s."},
		[]string{"Bu, %s hakkındadır.", "%s hakkında konuştuk."},
	},
}

// turkish are words and letters by which a question is taken for Turkish.
var turkish = regexp.MustCompile(`[ğışĞİŞ]|(?i)(?:^|[^\p{L}])(?:ne|nedir|neden|niye|nasil|nerede|kim|kac|hangi|icin|ve|mi|mu|bir|hakkinda|sever)(?:[^\p{L}]|$)`)

// templatesOf returns the templates for the kind of answer that a question expects.
func templatesOf(question string) *templates {
	folded := fold(question)
	for i := range categories {
		if c := &categories[i]; c.pattern == nil || c.pattern.MatchString(folded) {
			return c
		}
	}
	return nil // the last matches everything
}

// Hypotheses returns two or three texts as answers to a question may read; none for a
// question that names nothing.
func Hypotheses(question string) []string {
	if len(question) > maxPlanned {
		return nil
	}
	topic := topicOf(question)
	if topic == "" {
		return nil
	}
	c := templatesOf(question)
	patterns := c.en
	if turkish.MatchString(question) {
		patterns = c.tr
	}
	all := make([]string, len(patterns))
	for i, pattern := range patterns {
		all[i] = strings.Replace(pattern, "%s", topic, 1)
	}
	return all
}

// topicOf is a question without the words that only ask.
func topicOf(question string) string {
	var kept []string
	for word := range strings.FieldsSeq(strings.Trim(question, "?？!. ")) {
		terms := text.Terms(word)
		if len(terms) > 0 && !text.IsStopWord(terms[0]) && !asking.MatchString(fold(word)) {
			kept = append(kept, word)
		}
	}
	return strings.Join(kept, " ")
}

// asking matches a folded word that only asks.
var asking = regexp.MustCompile(`^(?:why|how|who|what|when|where|which|does|did|do|is|are|was|were|has|have|can|nedir|ne|neden|niye|nicin|nasil|nerede|nereye|kim|kimdir|kac|hangi|mi|mu|midir|bir|ve|icin|hakkinda)[?!.,]*$`)
