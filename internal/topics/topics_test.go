package topics

import (
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestOf(t *testing.T) {
	for _, tt := range []struct {
		text string
		want []string // among the topics
	}{
		{"I baked a cake", []string{"grain", "sweets"}},
		{"Two hot dogs, please", []string{"meat"}},
		{"I'm allergic to shellfish", []string{"diet", "fish"}},
		{"She was JOGGING", []string{"fitness"}},
		{"my sister's wedding", []string{"kin", "partner"}},
		{"a wi-fi router", []string{"computer"}},
		{"Er spielt Geige", []string{"music"}},
		{"Wir haben einen Zwetschgenkuchen", []string{"sweets", "produce"}},
		{"Ich war bei meiner Zahnärztin", []string{"doctor"}},
		{"Das ist meine STRASSE, die Gartenstraße", []string{"home"}},
		{"Sie kochten für uns", []string{"cooking"}},
		{"Mis abuelas cocinaban", []string{"kin", "cooking"}},
		{"Me encanta el café con leche", []string{"coffee", "dairy"}},
		{"¿Y el pantalón de mi hermano?", []string{"clothes", "kin"}},
		{"我下周要去看牙医", []string{"doctor"}},
		{"我家猫咪三岁了", []string{"pets", "birthday"}},
		{"我用iPhone,不用Android", []string{"phone"}},
		{"Netflix", []string{"film"}},
		{"Läuft das auf Netflix?", []string{"film"}},
	} {
		got := Of(tt.text).Names()
		for _, want := range tt.want {
			if !slices.Contains(got, want) {
				t.Errorf("Of(%q) = %v, want %s among them", tt.text, got, want)
			}
		}
	}
	for _, text := range []string{"", "   ", "?!", "the of and", "12:30", "ξένος", "\xff\xfe", "und nicht aber", "的了吗"} {
		if s := Of(text); !s.Empty() || len(s.Names()) > 0 {
			t.Errorf("Of(%q) = %v, want none", text, s.Names())
		}
	}
}

// A phrase is matched as a whole: hot dogs are not pets.
func TestPhraseHidesItsWords(t *testing.T) {
	for text, not := range map[string]string{
		"Two hot dogs, please":      "pets",
		"I bought running shoes":    "fitness",
		"That is hot. Dogs like it": "meat",
	} {
		if got := Of(text).Names(); slices.Contains(got, not) {
			t.Errorf("Of(%q) = %v, with %s", text, got, not)
		}
	}
}

func TestNear(t *testing.T) {
	for _, tt := range []struct{ question, near, far string }{
		{"Shall we order the pizza?", "I can't eat gluten", "I work at a bank"},
		{"Which vehicle do I own?", "I drive a green Skoda", "My sister is called Noor"},
		{"What film shall we stream?", "I can't stand horror movies", "I take my coffee black"},
		{"Can you book me a seat on the plane?", "I always sit at the aisle", "My cat is fat"},
		{"Was soll ich Oma schenken?", "Meine Großmutter sammelt Fingerhüte", "Ich fahre einen Golf"},
		{"Was ziehe ich zur Trauung an?", "Ich trage nur Anzüge aus Leinen", "Mein Passwort steht im Tresor"},
		{"¿Qué le regalo a mi abuela?", "Mi yaya hace punto", "Trabajo en una fábrica"},
		{"¿Pedimos sushi?", "El marisco me sienta mal", "Aparco en la calle"},
		{"今晚吃什么", "我不吃香菜", "我开的是白色的特斯拉"},
		{"周末去哪儿爬山", "我膝盖有伤", "我妈姓王"},
		{"Welches Auto habe ich?", "I drive a green Skoda", "I can't eat gluten"},
	} {
		q := Of(tt.question)
		near, far := Ask(q, 1).Near(Of(tt.near)), Ask(q, 1).Near(Of(tt.far))
		if near <= far {
			t.Errorf("%q: %q %.2f %v, %q %.2f %v; question %v", tt.question, tt.near, near, Of(tt.near).Names(), tt.far, far, Of(tt.far).Names(), q.Names())
		}
	}
}

// What is about the same shares concepts, also what is about other topics; what is
// about the same topics does not.
func TestNearByConcepts(t *testing.T) {
	for _, tt := range []struct{ question, near, far string }{
		{"the takeover", "Nordlys would like to buy us", "Our office is in Bergen"},
		{"that thing with the bottle", "I've been drinking again", "I take my coffee black"},
		{"Is somebody cheating on me?", "I saw a stranger's lipstick on his shirt", "My shirt is blue"},
		{"Delete the story of the affair", "I slept with someone else", "I slept badly"},
		{"Was war mit der Kündigung?", "Ich wurde gefeuert", "Mein Büro ist in Kiel"},
		{"Wie war das mit der Trennung?", "Wir sind nicht mehr zusammen", "Mein Mann heißt Jens"},
		{"Die Sache mit den Schulden", "Ich kann die Raten nicht mehr zahlen", "Meine Bank ist am Markt"},
		{"Lo del divorcio", "El abogado pide la custodia de los niños", "Mi marido se llama Luis"},
		{"¿Cuándo me mudo?", "El camión de la mudanza viene el martes", "La cocina de mi piso es azul"},
		{"离婚的事", "我们分居了", "我丈夫姓王"},
		{"欠债的事", "花呗还没还", "我用招商银行"},
	} {
		q := Ask(Of(tt.question), 1)
		shared := func(text string) float64 {
			_, concepts := Of(text).divide()
			return q.sharedConcepts(concepts).value()
		}
		if near, far := shared(tt.near), shared(tt.far); near <= far {
			t.Errorf("%q: %q %.2f, %q %.2f", tt.question, tt.near, near, tt.far, far)
		}
	}
}

// Concepts add to the similarity as much as the caller says, and 1 is the most.
func TestConceptsByFactor(t *testing.T) {
	question, text := Of("the takeover"), Of("Nordlys would like to buy us")
	var values []float64
	for _, factor := range []float64{0, .5, 1, 100} {
		values = append(values, Ask(question, factor).Near(text))
	}
	if values[0] >= values[1] || values[1] >= values[2] || values[3] != 1 {
		t.Errorf("%v", values)
	}
}

// The topics of a text do not depend on the lists of concepts.
func TestConceptsHideNoTopics(t *testing.T) {
	for text, want := range map[string]string{
		"Nordlys would like to buy us": "shopping", // a phrase of a concept
		"He is allergic to shellfish":  "diet",
		"Wir haben Milch gekauft":      "shopping",
		"我们离婚了":                        "partner",
		"I need a new washing machine": "household",
	} {
		if names := Of(text).Names(); !slices.Contains(names, want) {
			t.Errorf("%q: %v", text, names)
		}
	}
}

// Codes that no set holds are read without a fault.
func TestFromAnyCodes(t *testing.T) {
	q := Ask(Of("Shall we order the pizza?"), 1)
	var c Census
	for _, codes := range [][]byte{nil, {1}, {1, 2}, {255, 255, 255}, {200, 15, 1, 3, 0, 9, 7}} {
		s := FromCodes(codes)
		c.Add(s)
		for _, near := range []float64{q.Near(s), c.Ask(s, 1).Near(s)} {
			if !(near >= 0 && near <= 1) {
				t.Errorf("%v: %v", codes, near)
			}
		}
		if got := FromCodes(s.Codes()); !slices.Equal(listed(got), listed(s)) {
			t.Errorf("%v: %v", codes, got)
		}
	}
}

func TestNearOfEmptyText(t *testing.T) {
	var c Census
	full := Of("I love pizza")
	for _, pair := range [][2]Set{{{}, {}}, {full, {}}, {{}, full}} {
		if n, m := Ask(pair[0], 1).Near(pair[1]), c.Ask(pair[0], 1).Near(pair[1]); n != 0 || m != 0 {
			t.Errorf("Near of nothing = %v, %v, want 0", n, m)
		}
	}
}

func TestCensus(t *testing.T) {
	q := Of("Which car takes my guitar?")
	car, music := Of("I drive a Skoda"), Of("I play the violin")
	var c Census
	for range 200 {
		c.Add(Of("the engine of the car"))
	}
	if c.Ask(q, 1).Near(music) <= c.Ask(q, 1).Near(car) {
		t.Errorf("cars are spoken of all the time, yet %.2f <= %.2f", c.Ask(q, 1).Near(music), c.Ask(q, 1).Near(car))
	}
	for range 200 {
		c.Remove(Of("the engine of the car"))
	}
	if got, want := c.Ask(q, 1).Near(car), new(Census).Ask(q, 1).Near(car); got != want {
		t.Errorf("after all was removed: %v, want %v", got, want)
	}
}

// Every list names topics that are known, and every topic has words in every
// language; a word is not listed under a topic twice.
func TestLists(t *testing.T) {
	l := lexicon()
	mustRead := func(name string) string {
		b, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	if len(l.names) > maxTopics {
		t.Fatalf("%d topics", len(l.names))
	}
	technical := map[string]bool{}
	for line := range strings.Lines(mustRead("tech.txt")) {
		topic, _, _ := strings.Cut(line, ":")
		technical[topic] = true
	}
	total := 0
	for _, name := range []string{"topics.txt", "en.txt", "wordnet.txt", "de.txt", "es.txt", "zh.txt", "tech.txt"} {
		total += len(mustRead(name))
	}
	if total > 200<<10 {
		t.Errorf("the lists of topics take %d bytes", total)
	}
	files, err := filepath.Glob("concepts/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	total = 0
	for _, name := range files {
		total += len(mustRead(name))
	}
	if l.concepts < 2000 || total > 1250<<10 || len(compiled) > 1600<<10 {
		t.Errorf("%d concepts, their lists take %d bytes, the table %d", l.concepts, total, len(compiled))
	}
	for _, name := range []string{"en.txt", "de.txt", "es.txt", "zh.txt"} {
		seen := map[string]bool{}
		for line := range strings.Lines(mustRead(name)) {
			topic, words, ok := strings.Cut(line, ":")
			if !ok {
				t.Errorf("%s: %q", name, line)
			}
			if len(strings.Fields(words)) < 5 || seen[topic] {
				t.Errorf("%s: %s has few words or stands twice", name, topic)
			}
			seen[topic] = true
			for w := range strings.FieldsSeq(words) {
				w = strings.TrimSuffix(w, "~")
				if foldWord(w) == "" {
					t.Errorf("%s: %s: %q is no word", name, topic, w)
				}
				if words := strings.ReplaceAll(w, "_", " "); Of(words).Empty() && !holdsFunctionWord(words) {
					t.Errorf("%s: %s: %q is never found", name, topic, w)
				}
			}
		}
		for _, topic := range l.names {
			if !seen[topic] && !technical[topic] {
				t.Errorf("%s: nothing on %s", name, topic)
			}
		}
	}
	for i := range l.names {
		for j := range l.names {
			if l.near[i][j] != l.near[j][i] {
				t.Errorf("%s and %s", l.names[i], l.names[j])
			}
		}
	}
}

// holdsFunctionWord reports whether a function word of any language is among the words:
// alone they may be taken for that language's.
func holdsFunctionWord(words string) bool {
	for w := range strings.FieldsSeq(words) {
		if functionWords[foldWord(w)] != 0 {
			return true
		}
	}
	return false
}

func TestReadsOnlyTheBeginning(t *testing.T) {
	if s := Of(strings.Repeat("x ", maxRunes) + "pizza"); !s.Empty() {
		t.Errorf("read to the end: %v", s.Names())
	}
}

func FuzzNear(f *testing.F) {
	for _, s := range []string{"Shall we order the pizza?", "Großmutter", "今晚吃什么A寿", "O'Neil's hot-dogs", "ß'", "\xf0\x28", "wi-fi__a", "ſtraße"} {
		f.Add(s, "I can't eat gluten")
	}
	f.Fuzz(func(t *testing.T, a, b string) {
		x, y := Of(a), Of(b)
		if !reflect.DeepEqual(x, Of(a)) {
			t.Fatal("not deterministic")
		}
		for _, n := range []float64{Ask(x, 1).Near(y), Ask(y, 1).Near(x), new(Census).Ask(x, 1).Near(y)} {
			if !(n >= 0 && n <= 1) {
				t.Fatalf("%v", n)
			}
		}
		if !x.Empty() && Ask(x, 1).Near(x) <= 0 {
			t.Fatal("a text is not near itself")
		}
	})
}
