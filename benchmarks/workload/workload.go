// Package workload makes conversations of any size from labelled ones: the same
// sentences, resampled, by speakers with other names. The same seed yields the same
// turns.
package workload

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"time"

	"github.com/ebbmem/ebb/internal/evalset"
)

// Turn is one message in the form for every peer.
type Turn struct {
	User    string    `json:"user"`
	Session string    `json:"session"`
	ID      string    `json:"id"`
	Time    time.Time `json:"time"`
	Speaker string    `json:"speaker"`
	Role    string    `json:"role"`
	Text    string    `json:"text"`
}

// turnsPerSession is the length of a session: that of the labelled ones.
const turnsPerSession = 24

// Source makes turns. It is not safe for concurrent use.
type Source struct {
	random    *rand.Rand
	sentences [][]string // by conversation, names replaced by marks
	questions []string   // names replaced by marks
	of        []int      // the conversation of each question
	users     int
	made      int
	cast      [][2]string // of the current session of each user: its two speakers
	at        []time.Time
}

var ending = regexp.MustCompile(`[.!?]+\s+`)

// marks stand for the first and the second speaker.
var marks = [2]string{"\x01", "\x02"}

// New prepares turns from the sets, for a number of users.
func New(sets []*evalset.Set, users int, seed uint64) *Source {
	s := &Source{random: rand.New(rand.NewPCG(seed, seed)), users: users,
		cast: make([][2]string, users), at: make([]time.Time, users)}
	for _, set := range sets {
		place := make(map[string]int)
		names := make(map[string]*strings.Replacer)
		for _, c := range set.Conversations {
			replacer := marking(c.Turns)
			var all []string
			for _, t := range c.Turns {
				for _, part := range split(t.Text) {
					all = append(all, replacer.Replace(part))
				}
			}
			place[c.Name], names[c.Name] = len(s.sentences), replacer
			s.sentences = append(s.sentences, all)
		}
		for _, q := range set.Queries {
			s.questions = append(s.questions, names[q.Conversation].Replace(q.Question))
			s.of = append(s.of, place[q.Conversation])
		}
	}
	for u := range s.at {
		s.at[u] = time.Date(2024, 1, 1, 8, 0, 0, 0, time.UTC)
	}
	return s
}

// marking replaces the names of the first two speakers by marks.
func marking(turns []evalset.Turn) *strings.Replacer {
	var pairs []string
	seen := make(map[string]bool)
	for _, t := range turns {
		if t.Speaker == "" || seen[t.Speaker] || len(seen) == len(marks) {
			continue
		}
		pairs = append(pairs, t.Speaker, marks[len(seen)])
		seen[t.Speaker] = true
	}
	return strings.NewReplacer(pairs...)
}

func split(text string) []string {
	var parts []string
	for {
		at := ending.FindStringIndex(text)
		if at == nil {
			break
		}
		parts = append(parts, text[:at[1]])
		text = text[at[1]:]
	}
	if strings.TrimSpace(text) != "" {
		parts = append(parts, text)
	}
	return parts
}

// Next returns the next turn. Users alternate by session. Each session of a user
// has two speakers who are in no other session.
func (s *Source) Next() Turn {
	i := s.made
	s.made++
	session := i / turnsPerSession
	user := session % s.users
	if i%turnsPerSession == 0 {
		s.cast[user] = [2]string{s.name(), s.name()}
		s.at[user] = s.at[user].Add(time.Duration(2+s.random.IntN(20)) * time.Hour)
	}
	s.at[user] = s.at[user].Add(time.Duration(10+s.random.IntN(90)) * time.Second)
	from := s.sentences[(session/s.users+user)%len(s.sentences)]
	var text strings.Builder
	for range 1 + s.random.IntN(3) {
		text.WriteString(strings.TrimSpace(from[s.random.IntN(len(from))]))
		text.WriteByte(' ')
	}
	t := Turn{
		User: fmt.Sprintf("user-%05d", user), Session: fmt.Sprintf("session-%06d", session), ID: fmt.Sprintf("turn-%08d", i),
		Time: s.at[user], Role: "user", Speaker: s.cast[user][i%2], Text: cast(strings.TrimSpace(text.String()), s.cast[user]),
	}
	if i%2 == 1 {
		t.Role = "assistant"
	}
	return t
}

// Question returns one of the labelled questions, about speakers of the user's
// current session.
func (s *Source) Question(user int) string {
	return cast(s.questions[s.random.IntN(len(s.questions))], s.cast[user])
}

func cast(text string, names [2]string) string {
	return strings.NewReplacer(marks[0], names[0], marks[1], names[1]).Replace(text)
}

// name returns one of 4,096 invented first names, so that names repeat about as
// often as real ones.
func (s *Source) name() string {
	heads := [...]string{"Al", "Be", "Cor", "Da", "El", "Fi", "Ga", "Hel", "Is", "Jo", "Ka", "Lu", "Ma", "No", "Or", "Pe"}
	middles := [...]string{"ba", "ca", "di", "fe", "ga", "li", "ma", "ne", "pi", "ra", "ri", "sa", "ta", "ti", "vo", "za"}
	tails := [...]string{"bel", "dan", "fan", "gan", "lia", "lin", "mar", "na", "nor", "ra", "ric", "sa", "tan", "ver", "wyn", "zo"}
	return heads[s.random.IntN(16)] + middles[s.random.IntN(16)] + tails[s.random.IntN(16)]
}
