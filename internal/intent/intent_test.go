package intent

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestModelsAreComplete(t *testing.T) {
	models := map[string]*Model{"forget": Forget, "done": Done, "manner": Manner, "saved": SavedManner, "confided": Confided, "asks": Asks, "own": Own, "feigned": Feigned, "unstored": Unstored, "changes": Changes, "object": inObject}
	for name, m := range models {
		assert.Equal(t, FineBuckets, len(m.weights), name)
	}
	assert.Equal(t, Buckets, len(Lasting.weights))
	all, err := files.ReadDir(".")
	require.NoError(t, err)
	assert.Len(t, all, len(models)+1, "every file has a row above")
	assert.Zero(t, Load([]byte("short"), false).P("I live in Oslo"))
}

// None of these is among the questions that the model was fitted to.
func TestOwn(t *testing.T) {
	right, all := 0, 0
	check := func(own bool, questions ...string) {
		for _, q := range questions {
			p := Own.P(q)
			all++
			if own == (p >= 0.5) {
				right++
			} else {
				t.Logf("%.2f %s", p, q)
			}
		}
	}
	check(true, "Can I eat the satay at Noor's?", "the courier wants a phone number", "book the usual table for us", "Wann muss der Kleine morgen los?",
		"¿qué le regalo a mi suegra?", "给老妈订个蛋糕，要什么口味", "Which car do I have?", "Who is coming tonight?", "What needs doing next week?", "Was steht morgen an?",
		"Was gibt es am Wochenende?", "¿Qué talla calzo?", "¿Compro el pan con nueces?", "¿A quién llamo si se va la luz?", "¿Qué hay esta tarde?", "想买双跑鞋,多大的?",
		"今晚吃什么?", "请假找谁?", "Funeral home form asks for the congregation. What goes there?", "Which hospital is she in?",
		"Florist needs to know where to bring Mom's carnations.", "Where was the dog last weekend?", "Who fixes the boat?", "was schreib ich als adresse in die anzeige",
		"der hno will wissen auf welcher seite", "Und wie alt ist er?", "¿Qué hicimos en las fiestas?", "¿Adónde fuimos este verano?", "El técnico pregunta la talla.",
		"¿Quién recoge a los niños?", "客人问几点能来喝茶", "网购填收货信息,地址写哪儿?")
	check(false, "How many moons does Saturn have?", "write a limerick about a heron", "Wie hoch ist der Mont Blanc?", "¿Cuántas cuerdas lleva un laúd?", "长江有多长",
		"what's the difference between a crow and a raven", "Translate 'see you tomorrow' into Polish, please", "How many legs does a spider have?",
		"Wie hoch ist der Brocken?", "¿Qué río pasa por Zaragoza?", "伞蜥蜴生活在哪个洲", "explain inflation like im five", "Who was the mother of Alexander the Great?",
		"What's the capital of Mongolia, quick", "how do volcanoes even work", "Why is the sky blue?", "What is the atomic number of selenium?",
		"wann war der dreißigjährige krieg vorbei", "wieviel grad hat ein rechter winkel", "wie rechnet man zoll in zentimeter um", "¿Cómo se llama la cría del ciervo?",
		"¿Cuáles son los últimos planetas?", "¿Qué diferencia hay entre un cometa y un asteroide?", "红茶和咖啡哪个咖啡因高", "片假名和平假名有啥区别", "罗马帝国是哪年分裂的")
	assert.GreaterOrEqual(t, float64(right)/float64(all), 0.93, "%d of %d", right, all)
}

// None of these is among the messages that the model was fitted to.
func TestManner(t *testing.T) {
	right, all := 0, 0
	check := func(manner bool, messages ...string) {
		for _, m := range messages {
			p := Manner.P(m)
			all++
			if manner == (p >= 0.3) {
				right++
			} else {
				t.Logf("%.2f %s", p, m)
			}
		}
	}
	check(true, "Your answers go on and on, two lines is plenty for me.", "stop with the emojis pls", "I'd rather you called me Jo.", "when i ask you for a recipe give me cups not grams",
		"You can skip the apologies, just answer.", "Bitte sag du zu mir.", "schreib mir keine romane, ich les das in der bahn", "Wenn ich nach dem Weg frage, dann bitte in Kilometern.",
		"Antworte mir ab jetzt auf Schweizerdeutsch.", "no me pongas tantos emojis", "háblame de usted, por favor", "cuando me expliques algo, paso a paso", "别给我发表情了", "以后回答我先说结论", "你叫我老王就行")
	check(false, "I'm allergic to nuts.", "My sister plays the cello.", "Make the letter to Jo shorter.", "We had noodles again.", "What's the capital of Peru?", "Mum always calls me Bun.",
		"Ich trinke meinen Kaffee schwarz.", "Unser Chef will alles als Tabelle.", "Übersetze das ins Englische.", "mi hermana vive en Quito", "haz más corto el correo a Luis", "ayer llegué tarde",
		"我对芒果过敏", "把这封信改短一点", "今天又加班到十点")
	assert.GreaterOrEqual(t, float64(right)/float64(all), 0.85, "%d of %d", right, all)
}

// The facts are by authors whose others were not fitted in that language.
func TestSavedManner(t *testing.T) {
	file, err := os.ReadFile("testdata/saved.jsonl")
	require.NoError(t, err)
	taken, right, wishes := 0, 0, 0
	for line := range bytes.Lines(file) {
		var fact struct{ M, Manner string }
		require.NoError(t, json.Unmarshal(line, &fact))
		wish, took := fact.Manner == "manner", SavedManner.P(fact.M) >= 0.2
		for n, is := range map[*int]bool{&taken: took, &right: took && wish, &wishes: wish} {
			if is {
				*n++
			}
		}
	}
	assert.GreaterOrEqual(t, float64(right)/float64(taken), 0.8, "%d of %d", right, taken)
	assert.GreaterOrEqual(t, float64(right)/float64(wishes), 0.55, "%d of %d", right, wishes)
}

// None of these is among the messages that the model was fitted to. Half of the statements
// are worded so that they look like questions.
func TestAsks(t *testing.T) {
	const surely = 0.9
	asks := []string{"capital of Paraguay", "any idea what time the boat leaves", "give me a name for a bakery", "what did the vet say I should feed her", "the form wants my shoe size",
		"wie lang braucht ein ei bis es hart ist", "schreib meiner chefin dass ich krank bin", "Hausarzt fragt nach meinen Medikamenten", "was soll ich heut bloß kochen",
		"cuanto mide el aconcagua", "hazme una lista para la mudanza", "me preguntan el grupo sanguineo", "a que hora era lo del medico", "帮我想个店名", "北京到上海高铁多久", "护士问我对啥过敏", "我上次体检是啥时候"}
	states := []string{"if anyone rings the house line it's 01632 960 114", "what I hate most is coriander", "never book me a window seat", "Thursdays I sing in the choir", "we got a hamster, Biscuit. cute name, no?",
		"falls wer nach der kundennummer fragt: 77120", "wer mir die haare schneidet ist die Moni", "bitte nie vor neun anrufen", "montags hab ich frei",
		"lo que mas me gusta es el queso de cabra", "no me llames antes de las diez", "mi talla es la 42", "quien me corta el pelo es Lupe", "以后别给我推荐辣的", "我家密码锁找我弟要", "周四晚上我都有课"}
	found := 0
	for _, m := range asks {
		if p := Asks.P(m); p >= surely {
			found++
		} else {
			t.Logf("%.2f %s", p, m)
		}
	}
	wrong := 0
	for _, m := range states {
		if p := Asks.P(m); p >= surely {
			wrong++
			t.Logf("%.2f %s", p, m)
		}
	}
	assert.GreaterOrEqual(t, found, len(asks)*3/4)
	assert.LessOrEqual(t, wrong, len(states)/5)
}

// None of these is among the messages that the model was fitted to. It ranks: what is
// confided is one message of twelve, so that few probabilities are high.
func TestConfided(t *testing.T) {
	confided := []string{"I keep telling Marta the overtime is real. It isn't, I'm at the casino.", "took forty quid out of the till and said the count was off",
		"Ich hab dem Chef erzählt, ich sei krank, dabei war ich auf Vorstellungsgespräch bei der Konkurrenz.", "hab die prüfung damals abgeschrieben, alles vom nachbarn",
		"le mentí a mi marido con lo de la deuda, son ocho mil y no tres", "Me acosté con un compañero de la oficina y no sé cómo mirarle a la cara.",
		"我偷偷把孩子的压岁钱拿去炒股，全亏了", "其实我离婚了，爸妈还不知道"}
	plain := []string{"I take the 8.12 from platform two every weekday", "our new kettle whistles in C sharp", "Der Kuchen war super, danke für das Rezept.",
		"Meine Schwester arbeitet seit Mai bei der Post.", "los martes tengo clase de cerámica hasta las nueve", "El perro se llama Trufa y come dos veces al día.",
		"我家在三楼，没有电梯", "每周二晚上打羽毛球，跟老同事一起"}
	above := 0
	for _, c := range confided {
		for _, p := range plain {
			if Confided.P(c) > Confided.P(p) {
				above++
			}
		}
	}
	t.Logf("%d of %d pairs in order", above, len(confided)*len(plain))
	assert.GreaterOrEqual(t, above, len(confided)*len(plain)*9/10)
}

func FuzzP(f *testing.F) {
	for _, s := range []string{"", "'", "’’", "I'm allergic to nuts", "我对芒果过敏", "\xff\x00", "ʼn a̋ 𝔸 9", strings.Repeat("a ", 2000)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, m := range []*Model{Lasting, Own, Forget, Done, Manner, Asks} {
			if p := m.P(s); math.IsNaN(p) || p < 0 || p > 1 {
				t.Fatalf("%q: %v", s, p)
			}
		}
		for _, w := range WordsOf(s) {
			if p := w.P(); math.IsNaN(p) || p < 0 || p > 1 || w.Lo >= w.Hi || w.Hi > len(s) {
				t.Fatalf("%q: %v of %d to %d", s, p, w.Lo, w.Hi)
			}
		}
	})
}
