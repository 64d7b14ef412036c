// Package emotion reads from a text, by word lists, how its writer feels: English and
// Turkish, no model (cognitive-v9.md, Emotional Memory System).
package emotion

import (
	"strings"
	"unicode"

	"github.com/ebbmem/ebb/internal/text"
)

// Emotion is one of Ekman's basic six.
type Emotion string

// The emotions.
const (
	Joy      Emotion = "joy"
	Anger    Emotion = "anger"
	Fear     Emotion = "fear"
	Sadness  Emotion = "sadness"
	Surprise Emotion = "surprise"
	Disgust  Emotion = "disgust"
)

// Feeling is what a text says of its writer's feelings.
type Feeling struct {
	Valence float64 // −1 bad to 1 good, 0 for neither
	Arousal float64 // 0 calm to 1
	Emotion Emotion // "" for none
}

// The words of the lists are folded; one that ends in * stands for all that begin so,
// as Turkish needs.
var lists = []struct {
	emotion Emotion
	valence float64
	words   string
}{
	{Joy, 1, "happy happily glad joy* delighted thrilled excited exciting love loved loves wonderful great amazing awesome fantastic excellent proud grateful thank thanks relieved fun celebrat* cheer* laugh* smil* hurray yay mutlu* sevin* harika muhteşem mükemmel güzel sevdim seviyorum bayıl* gurur* teşekkür* keyif* eğlen* neşe* müjde*"},
	{Anger, -1, "angry anger annoyed annoying furious mad rage hate hated hates outraged irritat* frustrat* infuriat* unacceptable ridiculous kızgın* kızdı* öfke* sinir* nefret* çıldır* rezalet* saçmalık*"},
	{Fear, -1, "afraid fear* scared scary terrified terrifying anxious anxiety worried worry worries panic* nervous frighten* dread* threat* danger* kork* endişe* kaygı* panik* tedirgin* tehlike* tehdit* dehşet*"},
	{Sadness, -1, "sad sadly sadness unhappy depress* cry cried crying tears grief griev* lonely heartbroken miserable disappoint* hopeless mourn* died funeral üzgün* üzül* üzüntü* mutsuz* ağla* yalnızım hayal-kırık* keder* yas öldü* cenaze* umutsuz*"},
	{Surprise, 0, "surpris* astonish* shocked shocking unexpected* suddenly wow unbelievable incredible şaşır* şaşkın* şok* aniden beklenmedik* inanılmaz* vay"},
	{Disgust, -1, "disgust* gross revolting nasty sickening repulsive vile yuck iğrenç* tiksin* mide-bulan* bulandı*"},
}

// urgent are words of urgency, and profane those of swearing.
const (
	urgent  = "urgent* asap immediately emergency critical deadline* error* crash* breach* security hacked outage* broken failed failure accident hospital help acil* hemen derhal kritik hata* çöktü* güvenlik* ihlal* son-tarih* kaza* hastane* imdat yardım*"
	profane = "damn damned hell shit fuck* bloody bullshit wtf crap lanet* kahret* allah-kahretsin boktan"
	negates = "not no never don't dont didn't didnt isn't isnt wasn't wasnt aren't arent can't cant cannot won't wont without değil* hiç yok"
)

// lexicon finds the lists that a folded word is in.
type lexicon struct {
	whole    map[string]int
	prefixes []prefix
}

type prefix struct {
	text string
	list int
}

const (
	urgentList  = 100
	profaneList = 101
	negatesList = 102
)

var words = func() (l lexicon) {
	l.whole = make(map[string]int)
	add := func(list int, all string) {
		for word := range strings.FieldsSeq(all) {
			if stem, is := strings.CutSuffix(word, "*"); is {
				l.prefixes = append(l.prefixes, prefix{text.Fold(stem), list})
				continue
			}
			l.whole[text.Fold(word)] = list
		}
	}
	for i := range lists {
		add(i, lists[i].words)
	}
	add(urgentList, urgent)
	add(profaneList, profane)
	add(negatesList, negates)
	return l
}()

// find returns the list that a folded word is in.
func (l *lexicon) find(word string) (list int, found bool) {
	if list, found = l.whole[word]; found {
		return list, true
	}
	for _, p := range l.prefixes {
		if strings.HasPrefix(word, p.text) {
			return p.list, true
		}
	}
	return 0, false
}

// The shares of arousal: of each exclamation mark, of each word of urgency, of
// profanity and of feeling, and of a text in capitals.
const (
	ofMark    = 0.15
	ofUrgency = 0.3
	ofProfane = 0.2
	ofFeeling = 0.1
	ofCapital = 0.3
)

// negationReach is how many words before a feeling a negation turns it round; in
// Turkish it follows.
const negationReach = 3

// maxRead is how much of a long text is read, in bytes.
const maxRead = 16 << 10

// Of reads a text.
func Of(s string) (f Feeling) {
	s = text.Clean(s[:min(len(s), maxRead)])
	tokens := strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && r != '\'' && r != '’' })
	in := make([]int, len(tokens)) // 1 + the list
	shouted, long := 0, 0
	for i, token := range tokens {
		if list, found := words.find(text.Fold(strings.ReplaceAll(token, "’", "'"))); found {
			in[i] = 1 + list
		}
		if len(token) >= 3 {
			long++
			if token == strings.ToUpper(token) && token != strings.ToLower(token) {
				shouted++
			}
		}
	}
	var good, bad float64
	counts := make([]int, len(lists))
	feelings, urgency, profanity := 0, 0, 0
	for i, list := range in {
		switch list--; {
		case list < 0:
		case list == urgentList:
			urgency++
		case list == profaneList:
			profanity++
		case list < len(lists):
			feelings++
			valence := lists[list].valence
			if negated(in, i) {
				valence = -valence
			} else {
				counts[list]++
			}
			good, bad = good+max(0, valence), bad+max(0, -valence)
		}
	}
	bad += float64(profanity) / 2
	if good+bad > 0 {
		f.Valence = (good - bad) / (good + bad)
	}
	most := 0
	for i, n := range counts {
		if n > most {
			most, f.Emotion = n, lists[i].emotion
		}
	}
	f.Arousal = ofMark*float64(min(3, strings.Count(s, "!"))) + ofUrgency*float64(min(2, urgency)) + ofProfane*float64(min(2, profanity)) + ofFeeling*float64(min(2, feelings))
	if shouted >= 2 && 2*shouted > long {
		f.Arousal += ofCapital
	}
	f.Arousal = min(1, f.Arousal)
	return f
}

// negated reports whether a word of feeling is turned round: by a negation up to three
// words before it, or by the next word.
func negated(in []int, at int) bool {
	for i := max(0, at-negationReach); i < min(len(in), at+2); i++ {
		if in[i] == 1+negatesList {
			return true
		}
	}
	return false
}
