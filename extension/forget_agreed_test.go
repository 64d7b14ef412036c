package extension

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/schema"
)

func (l *diary) turns(turns ...string) {
	l.t.Helper()
	for _, turn := range turns {
		if rest, ok := strings.CutPrefix(turn, "a: "); ok {
			require.NoError(l.t, l.x.Bus().Publish(l.t.Context(), eventbus.AgentResponse(dora, rest)))
			require.NoError(l.t, l.x.WaitIdle(l.t.Context()))
		} else {
			l.publish(strings.TrimPrefix(turn, "u: "))
		}
	}
}

func (l *diary) holds(text string) bool {
	l.t.Helper()
	records, err := l.x.Timeline(l.t.Context(), dora, TimelineQuery{Kinds: []Kind{KindEpisode}, Limit: 1000})
	require.NoError(l.t, err)
	for _, r := range records {
		if r.Content == text && r.State != schema.StateForgotten {
			return true
		}
	}
	return false
}

var agreedLives = map[string][]string{
	"en": {"I have a dentist appointment on Monday at nine.", "My sister Anna is seeing a lawyer about the divorce.", "I told Anna I would bring the milk and the eggs on Sunday.", "I keep forgetting my umbrella on the bus.", "My neighbour lent me his drill, I have to give it back.", "We moved the piano lesson of Anna to Thursday.", "I got a rash from the new soap.", "The wifi password is BlueHeron88.", "Anna's birthday is on the 12th of May.", "I pay 40 pounds for the gym each month and never go."},
	"de": {"Ich habe am Montag um neun einen Zahnarzttermin.", "Meine Schwester Anna geht wegen der Scheidung zur Anwältin.", "Ich hab Anna versprochen, Milch und Eier mitzubringen.", "Ich vergesse dauernd meinen Schirm im Bus.", "Der Nachbar hat mir seine Bohrmaschine geliehen.", "Annas Klavierstunde ist jetzt am Donnerstag.", "Von der neuen Seife habe ich Ausschlag bekommen.", "Das WLAN-Passwort ist BlueHeron88.", "Anna hat am 12. Mai Geburtstag.", "Ich zahle 40 Euro im Monat fürs Fitnessstudio und gehe nie hin."},
	"es": {"Tengo cita con el dentista el lunes a las nueve.", "Mi hermana Ana va a ver a una abogada por el divorcio.", "Le prometí a Ana llevar la leche y los huevos.", "Siempre olvido el paraguas en el autobús.", "El vecino me prestó su taladro.", "La clase de piano de Ana es ahora el jueves.", "El jabón nuevo me dio sarpullido.", "La contraseña del wifi es BlueHeron88.", "El cumpleaños de Ana es el 12 de mayo.", "Pago 40 euros al mes por el gimnasio y nunca voy."},
	"zh": {"我周一早上九点约了牙医。", "我姐姐安娜因为离婚在找律师。", "我答应安娜带牛奶和鸡蛋过去。", "我老是把伞忘在公交车上。", "邻居把电钻借给我了，我得还他。", "安娜的钢琴课改到周四了。", "新肥皂让我起了疹子。", "家里的无线密码是BlueHeron88。", "安娜的生日是五月十二号。", "我每个月付四十块健身房，从来不去。"},
}

// Talk in which the user agrees to something, or to nothing, and forgets nothing by that.
func TestForgetNotAgreed(t *testing.T) {
	for _, c := range []struct {
		name, lang string
		turns      []string
	}{
		{"dont forget your card", "en", []string{"what time is the dentist again, I keep losing track", "a: At nine on Monday. Don't forget your insurance card! Shall I remind you of the dentist appointment?", "yes please"}},
		{"wont forget", "en", []string{"can you drop the thing with the gym", "a: I won't forget it. Shall I put the gym and the 40 pounds a month into your budget?", "yes"}},
		{"did you forget", "en", []string{"Ugh, I lost track of everything today", "a: Did you forget the dentist appointment on Monday?", "yes"}},
		{"denied then other", "en", []string{"please delete the stuff about you know what, the lawyer business", "a: Shall I forget that your sister Anna is seeing a lawyer?", "no, keep that", "a: Okay, I'll keep it. Do you want me to clear Monday at nine for the dentist appointment?", "yes"}},
		{"denied then meant", "en", []string{"that awkward thing I told you, get rid of it please", "a: Shall I forget that Anna is seeing a lawyer about the divorce?", "no, never mind", "a: Fine. By the way, do you mean to bring the milk and the eggs to Anna on Sunday?", "yes"}},
		{"cancel calendar", "en", []string{"cancel the dentist on monday", "a: Do you mean the dentist appointment on Monday at nine? I'll remove it from the calendar.", "yes"}},
		{"scratch dentist", "en", []string{"scratch the dentist", "a: Do you mean the dentist appointment on Monday? I can remove it from your calendar.", "yes"}},
		{"shopping list", "en", []string{"take the milk off", "a: Shall I remove the milk, and keep the eggs for Anna?", "yes"}},
		{"reminder", "en", []string{"delete the reminder for the drill", "a: You mean the reminder to give the drill back to your neighbour? Should I delete it?", "yes"}},
		{"subscription", "en", []string{"I want to drop the gym", "a: Shall I cancel the gym, 40 pounds each month, by removing the standing order?", "yes"}},
		{"forget the umbrella", "en", []string{"I'm so scatterbrained, forget my head next", "a: Do you often forget your umbrella on the bus?", "yes"}},
		{"no content", "en", []string{"please wipe that awkward thing", "a: Shall I forget it?", "yes"}},
		{"no content de", "de", []string{"diese peinliche Sache da, lösch das mal bitte raus", "a: Soll ich das vergessen?", "ja"}},
		{"no content es", "es", []string{"eso tan feo que te conté, quítalo porfa", "a: ¿Quieres que lo olvide?", "sí"}},
		{"no content zh", "zh", []string{"那个丢人的事你抹掉吧", "a: 要我忘掉吗？", "要"}},
		{"Anna all", "en", []string{"please wipe that awkward thing about her", "a: Shall I forget about Anna?", "yes"}},
		{"keep instead", "en", []string{"please wipe that awkward thing about the lawyer", "a: Shall I keep that Anna is seeing a lawyer about the divorce, rather than forget it?", "yes"}},
		{"not forget", "en", []string{"that awkward lawyer thing, wipe it", "a: So you do not want me to forget that Anna is seeing a lawyer about the divorce?", "right"}},
		{"yes remember", "en", []string{"that awkward lawyer thing, wipe it", "a: Should I forget that Anna is seeing a lawyer about the divorce, or remember it?", "yes, remember it please"}},
		{"ja merken", "de", []string{"diese blöde Sache mit der Anwältin, weg damit", "a: Soll ich vergessen, dass Anna wegen der Scheidung zur Anwältin geht, oder es mir merken?", "ja, merk es dir"}},
		{"si recuerda", "es", []string{"eso tan feo de la abogada, quítalo porfa", "a: ¿Olvido que Ana va a ver a una abogada por el divorcio, o lo guardo?", "sí, guárdalo"}},
		{"zh 记着", "zh", []string{"律师那个丢人的事你抹掉吧", "a: 要我忘掉安娜因为离婚在找律师的事，还是记着？", "对，记着"}},
		{"by the way zh", "zh", []string{"律师那个丢人的事你抹掉吧", "a: 要我忘掉安娜因为离婚在找律师的事吗？", "对了，明天天气怎么样"}},
		{"要下雨 zh", "zh", []string{"律师那个丢人的事你抹掉吧", "a: 要我忘掉安娜因为离婚在找律师的事吗？", "要下雨了，先走了"}},
		{"好烦 zh", "zh", []string{"律师那个丢人的事你抹掉吧", "a: 要我忘掉安娜因为离婚在找律师的事吗？", "好烦，先忙去"}},
		{"别忘了 zh", "zh", []string{"牙医是几点来着，我脑子乱", "a: 周一早上九点。别忘了带医保卡！要我提醒你看牙医吗？", "要"}},
		{"Vergiss nicht de", "de", []string{"wann war nochmal der Zahnarzt, ich bring alles durcheinander", "a: Montag um neun. Vergiss die Karte nicht! Soll ich dich an den Zahnarzttermin erinnern?", "ja bitte"}},
		{"No olvides es", "es", []string{"a qué hora era el dentista, se me va todo", "a: El lunes a las nueve. ¡No olvides la tarjeta! ¿Te recuerdo la cita con el dentista?", "sí"}},
		{"si claro condition es", "es", []string{"eso tan feo de la abogada, quítalo porfa", "a: ¿Olvido que Ana va a ver a una abogada por el divorcio?", "si llueve mañana me avisas"}},
		{"right now", "en", []string{"that awkward lawyer thing, wipe it", "a: Should I forget that Anna is seeing a lawyer about the divorce?", "right now I'm busy, later"}},
		{"correct the", "en", []string{"that awkward lawyer thing, wipe it", "a: Should I forget that Anna is seeing a lawyer about the divorce?", "correct the date of the piano lesson first"}},
		{"yes something else", "en", []string{"that awkward lawyer thing, wipe it", "a: Should I forget that Anna is seeing a lawyer about the divorce?", "yeah hang on, phone"}},
		{"yes maybe later", "en", []string{"that awkward lawyer thing, wipe it", "a: Should I forget that Anna is seeing a lawyer about the divorce?", "yes maybe later"}},
		{"ja spaeter", "de", []string{"diese blöde Sache mit der Anwältin, weg damit", "a: Soll ich vergessen, dass Anna wegen der Scheidung zur Anwältin geht?", "ja, vielleicht später mal"}},
		{"two things", "en", []string{"that awkward lawyer thing, wipe it", "a: Should I forget that Anna is seeing a lawyer about the divorce? And shall I remind you of the dentist on Monday at nine?", "yes, remind me of the dentist"}},
		{"wegen de", "de", []string{"die Sache mit dem Fitnessstudio muss weg", "a: Wegen des Zahnarzttermins am Montag um neun: soll ich dich erinnern?", "ja"}},
		{"clear en", "en", []string{"get rid of the gym thing", "a: Is it clear how to get to the dentist appointment on Monday at nine?", "yes"}},
		{"paste", "en", []string{"What does this mean: please forget that I ever mentioned the lawyer", "a: It asks to forget something. Is it about Anna, who is seeing a lawyer about the divorce?", "yes"}},
		{"hypothetical", "en", []string{"could you forget something if I asked you to?", "a: Yes. For example, shall I forget that Anna is seeing a lawyer, would be such a question. Clear?", "yes, clear"}},
		{"how to forget", "en", []string{"how do I get Anna to forget about the divorce", "a: Do you think Anna will forget the divorce sooner if you bring the milk and the eggs on Sunday?", "yes"}},
		{"let go", "en", []string{"I should just let go of that stupid drill", "a: Did you forget to give the drill back to your neighbour?", "yes, exactly"}},
		{"did I forget", "en", []string{"You lost my piano thing", "a: Sorry, did I forget that the piano lesson of Anna moved to Thursday?", "yes you did"}},
		{"never forget", "en", []string{"never forget that the wifi password is BlueHeron88", "a: Shall I never forget the wifi password BlueHeron88?", "yes"}},
		{"password clear", "en", []string{"reset the wifi", "a: Do you mean the wifi password, BlueHeron88? Shall I drop it and make a new one?", "yes"}},
		{"remove stain", "en", []string{"how do I get rid of the rash", "a: Is it the rash from the new soap? I would remove the soap from the bathroom first.", "yes"}},
		{"borrowed de", "de", []string{"wie krieg ich den Ausschlag weg", "a: Meinst du den Ausschlag von der neuen Seife? Lass sie weg.", "ja"}},
		{"es rash", "es", []string{"cómo quito el sarpullido", "a: ¿Te refieres al sarpullido del jabón nuevo? Con esta crema se quita.", "sí"}},
		{"zh rash", "zh", []string{"怎么去掉这个疹子", "a: 你是说新肥皂让你起的疹子吗？", "对"}},
		{"clean", "en", []string{"I need to get the drill out of the house", "a: Do you mean the drill your neighbour lent you? You have to give it back.", "yes that one"}},
		{"mute", "en", []string{"stop reminding me about the dentist", "a: Do you mean the dentist appointment on Monday at nine? Shall I drop the reminder?", "yes"}},
		{"unfriend", "en", []string{"I want Anna out of the group chat", "a: Do you mean your sister Anna? Should I remove her?", "yes"}},
		{"gym cancel de", "de", []string{"ich will aus dem Fitnessstudio raus", "a: Meinst du das Fitnessstudio für 40 Euro im Monat? Soll ich eine Kündigung schreiben?", "ja"}},
		{"gym cancel es", "es", []string{"quiero dejar el gimnasio", "a: ¿Te refieres al gimnasio de 40 euros al mes? ¿Escribo la baja?", "sí"}},
		{"gym zh", "zh", []string{"把健身房退了吧", "a: 你是说每个月付四十块的健身房吗？要我写退卡申请吗？", "对"}},
		{"appointment zh", "zh", []string{"牙医那个取消吧", "a: 你是说周一早上九点的牙医吗？要我取消吗？", "对"}},
		{"appointment de", "de", []string{"streich den Zahnarzt am Montag", "a: Meinst du den Zahnarzttermin am Montag um neun? Soll ich ihn aus dem Kalender streichen?", "ja"}},
		{"appointment es", "es", []string{"quita lo del dentista", "a: ¿Te refieres a la cita con el dentista el lunes a las nueve? ¿La quito del calendario?", "sí"}},
	} {
		t.Run(c.lang+" "+c.name, func(t *testing.T) {
			l := newDiary(t)
			for _, m := range agreedLives[c.lang] {
				l.says(m)
			}
			l.turns(c.turns[:len(c.turns)-1]...)
			had := map[string]bool{}
			for _, m := range agreedLives[c.lang] {
				had[m] = l.holds(m)
			}
			l.turns(c.turns[len(c.turns)-1])
			for _, m := range agreedLives[c.lang] {
				require.Equal(t, had[m], l.holds(m), m)
			}
		})
	}
}

// An agreement counts from the one who asked, typed by herself, once, and not against what she asked to keep.
func TestForgetAgreedGuards(t *testing.T) {
	const lawyer, asks = "My sister Anna is seeing a lawyer about the divorce.", "Shall I forget that your sister Anna is seeing a lawyer about the divorce?"
	const request = "that awkward thing I told you, get rid of it please"
	say := func(l *diary, text string, opts ...eventbus.MessageOption) { l.publish(text, opts...) }
	answer := func(l *diary, text string, opts ...eventbus.MessageOption) {
		require.NoError(l.t, l.x.Bus().Publish(l.t.Context(), eventbus.AgentResponse(dora, text, opts...)))
		require.NoError(l.t, l.x.WaitIdle(l.t.Context()))
	}
	start := func(t *testing.T) *diary {
		l := newDiary(t)
		for _, m := range agreedLives["en"] {
			l.says(m)
		}
		require.True(t, l.holds(lawyer))
		return l
	}
	t.Run("control", func(t *testing.T) {
		l := start(t)
		say(l, request)
		answer(l, asks)
		say(l, "yes")
		require.False(t, l.holds(lawyer))
		for _, m := range agreedLives["en"] {
			if m != lawyer && !strings.Contains(m, "BlueHeron") {
				require.True(t, l.holds(m), m)
			}
		}
	})
	t.Run("after a tool's result", func(t *testing.T) {
		l := start(t)
		say(l, request)
		require.NoError(t, l.x.Bus().Publish(t.Context(), eventbus.ToolResult(dora, "forget_memory", "Not forgotten: ask the user whether to forget it.")))
		require.NoError(t, l.x.WaitIdle(t.Context()))
		answer(l, asks)
		say(l, "yes")
		require.False(t, l.holds(lawyer))
	})
	t.Run("another speaker agrees", func(t *testing.T) {
		l := start(t)
		say(l, request, eventbus.Speaker("Bob"))
		answer(l, asks)
		say(l, "yes", eventbus.Speaker("Alice"))
		require.True(t, l.holds(lawyer))
	})
	t.Run("tool text agrees", func(t *testing.T) {
		l := start(t)
		say(l, request)
		answer(l, asks)
		say(l, "yes", eventbus.From(schema.OriginToolExternal))
		say(l, "yes", eventbus.From(schema.OriginImport))
		require.True(t, l.holds(lawyer))
	})
	t.Run("tool text asks", func(t *testing.T) {
		l := start(t)
		say(l, request)
		answer(l, asks, eventbus.From(schema.OriginToolExternal))
		say(l, "yes")
		require.True(t, l.holds(lawyer))
	})
	t.Run("protected", func(t *testing.T) {
		l := start(t)
		say(l, "Never forget that my neighbour is allergic to penicillin.")
		say(l, request)
		answer(l, "Shall I forget that my neighbour is allergic to penicillin?")
		say(l, "yes")
		require.True(t, l.holds("Never forget that my neighbour is allergic to penicillin."))
		for _, m := range agreedLives["en"] {
			require.True(t, strings.Contains(m, "BlueHeron") || l.holds(m), m)
		}
	})
	t.Run("undone, redelivered", func(t *testing.T) {
		l := start(t)
		say(l, request)
		answer(l, asks)
		say(l, "yes, forget that", eventbus.WithID("same"))
		require.False(t, l.holds(lawyer))
		for _, r := range l.runs("said") {
			if !l.holds(lawyer) {
				_, err := l.x.Undo(t.Context(), dora, r.UID)
				require.NoError(t, err)
			}
		}
		require.True(t, l.holds(lawyer))
		_ = l.x.Bus().Publish(t.Context(), eventbus.UserMessage(dora, "yes, forget that", eventbus.WithID("same")))
		require.NoError(t, l.x.WaitIdle(t.Context()))
		require.True(t, l.holds(lawyer))
		l.tool("forget_memory", map[string]any{"query": "the lawyer"})
		require.True(t, l.holds(lawyer))
		say(l, "yes")
		require.True(t, l.holds(lawyer))
	})
	t.Run("many", func(t *testing.T) {
		l := start(t)
		for _, m := range []string{"Robert sold the boat.", "Robert was late again.", "Robert has a new job.", "Robert phoned.", "Robert is in Rome.", "Robert lost weight."} {
			l.says(m)
		}
		say(l, request)
		answer(l, "Shall I forget what you said about Robert?")
		say(l, "yes")
		n := 0
		for _, m := range []string{"Robert sold the boat.", "Robert was late again.", "Robert has a new job.", "Robert phoned.", "Robert is in Rome.", "Robert lost weight."} {
			if !l.holds(m) {
				n++
			}
		}
		require.LessOrEqual(t, n, 3)
	})
	t.Run("empty", func(t *testing.T) {
		l := start(t)
		answer(l, "?")
		say(l, "yes")
		say(l, request)
		answer(l, "?？")
		say(l, "对")
		answer(l, "Shall I forget that?")
		say(l, "yes")
		require.True(t, l.holds(lawyer))
	})
	t.Run("yes with a claim", func(t *testing.T) {
		l := start(t)
		say(l, request)
		answer(l, "Do you mean that you lived in Xanadu?")
		say(l, "Yes. I live in Ghent now.")
		require.Contains(t, l.objects(), "Ghent")
	})
}

// A model that chooses a memory is not obeyed if nothing that the user said asks for it.
func TestForgetChosenByAModel(t *testing.T) {
	for _, c := range []struct{ ask, chosen string }{
		{"what time is the dentist again, I keep losing track", "I have a dentist appointment on Monday at nine."},
		{"I want to drop the gym", "I pay 40 pounds for the gym each month and never go."},
		{"how do I get rid of the rash", "I got a rash from the new soap."},
		{"nice weather today", "I told Anna I would bring the milk and the eggs on Sunday."},
		{"nice weather today", "My sister Anna is seeing a lawyer about the divorce."},
		{"nice weather today", "I keep forgetting my umbrella on the bus."},
		{"nice weather today", "I pay 40 pounds for the gym each month and never go."},
		{"take the milk off the list", "I told Anna I would bring the milk and the eggs on Sunday."},
		{"please delete the stuff about the gym", "My sister Anna is seeing a lawyer about the divorce."},
		{"please delete the stuff about the gym", "I have a dentist appointment on Monday at nine."},
		{"I lost the drill, damn it, can't find it anywhere", "My neighbour lent me his drill, I have to give it back."},
		{"never forget Anna's birthday", "Anna's birthday is on the 12th of May."},
		{"My email to her says: \"please forget what I said about the lawyer\"", "My sister Anna is seeing a lawyer about the divorce."},
		{"summarise: she asked him to forget the divorce and the lawyer", "My sister Anna is seeing a lawyer about the divorce."},
		{"erase the drill from the inventory sheet", "My neighbour lent me his drill, I have to give it back."},
	} {
		t.Run(c.ask, func(t *testing.T) {
			l := newDiary(t)
			for _, m := range agreedLives["en"] {
				l.says(m)
			}
			l.publish(c.ask)
			records, err := l.x.Timeline(t.Context(), dora, TimelineQuery{Kinds: []Kind{KindEpisode}, Limit: 1000})
			require.NoError(t, err)
			for _, r := range records {
				if r.Content == c.chosen {
					l.tool("forget_memory", map[string]any{"memory_id": r.UID})
				}
			}
			require.True(t, l.holds(c.chosen), c.chosen)
		})
	}
}
