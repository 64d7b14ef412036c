package said

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// requestCases are messages and what they ask: "keep", "forget", with what they
// name behind a colon.
const requestCases = `
Never forget this. => keep
I'm allergic to nuts, never forget that. => keep
Never forget that I am diabetic. => keep: I am diabetic
Please remember this for good: my number is 555 0199. => keep: my number is 555 0199
Remember this. => keep
Don't forget that I'm vegan. => keep: I'm vegan
Please always remember that my son has asthma. => keep: my son has asthma
Forget that. => forget
Please forget that! => forget
Ok, forget what I just said. => forget
Please forget my old address. => forget: my old address
Forget what I said about my boss. => forget: my boss
Can you forget everything about the divorce? => forget: the divorce
That thing with my cousin that I told you? Wipe it please, it is settled. => forget: That thing with my cousin that I told you? Wipe it please, it is settled.
Forget that I told you about Lisbon. => forget: about Lisbon
Vergiss das nie. => keep
Merk dir das für immer: ich bin Diabetiker. => keep: ich bin Diabetiker
Vergiss nie, dass ich keine Nüsse vertrage. => keep: dass ich keine Nüsse vertrage
Merk dir das bitte. => keep
Vergiss das. => forget
Vergiss das bitte wieder. => forget
Vergiss, was ich über meinen Chef gesagt habe. => forget: meinen Chef
Vergiss bitte meine alte Adresse. => forget: meine alte Adresse
No olvides nunca que soy alérgica. => keep: que soy alérgica
Recuérdalo siempre. => keep
Recuerda para siempre que soy celíaco. => keep: que soy celíaco
Olvida eso. => forget
Por favor, olvida lo que te dije. => forget
Olvida lo de mi jefe. => forget: mi jefe
Olvida lo que te dije sobre Marta. => forget: Marta
Olvida mi antigua dirección. => forget: mi antigua dirección
永远别忘了我对花生过敏。 => keep: 我对花生过敏
记住这一点。 => keep
千万别忘了我有糖尿病 => keep: 我有糖尿病
这个一定要记住。 => keep
把刚才说的忘了吧。 => forget
忘掉我的旧地址。 => forget: 我的旧地址
请忘记关于我前女友的事。 => forget: 我前女友
忘掉这件事。 => forget
永遠不要忘記我對花生過敏。 => keep: 我對花生過敏
And this one, please never ever lose it: my locker is number 88. => keep: my locker is number 88
Keep this for good: Mia must not eat kiwi. => keep: Mia must not eat kiwi
Das hier bitte nie löschen: mein Hochzeitstag ist der 3. Mai. => keep: mein Hochzeitstag ist der 3. Mai
Und das darfst du nie vergessen: Till hat Asthma. => keep: Till hat Asthma
Esto no lo borres nunca: mi hijo es alérgico al látex. => keep: mi hijo es alérgico al látex
这条千万不能忘：外公的忌日是三月初三 => keep: 外公的忌日是三月初三
That code for the garage, delete it from your memory please. => forget: That code for the garage
The draft is bad, delete it please.
Those numbers for the safe, wipe them from your memory please. => forget: Those numbers for the safe
What I wrote about Tilda's exam, delete that please. => forget: Tilda's exam
I never forget a face: yours is new.
Things to always keep in the fridge: milk, eggs, butter.
To remember forever: keys, wallet, phone.
Was man immer speichern sollte: Rechnungen, Verträge.
Lo primero, siempre guardar copias: dos como mínimo.
出门一定记得带的东西：钥匙、手机
Ich vergesse nie etwas: frag mich.
Don't forget to buy milk.
Don't forget the milk.
I always forget my keys.
I'll never forget that trip.
I never forget a face.
Forget it, never mind.
Forget about it.
Forget it.
Never mind, forget it.
How could I forget that?
I forgot my password.
My boss told me to forget that.
She said "forget that".
> forget that
Let's forget that and move on.
Don't forget me!
Remember that epic game?
Remember me to your mother.
Vergiss es.
Ach vergiss es einfach.
Vergiss nicht, Milch zu kaufen.
Ich vergesse immer meinen Schlüssel.
Lass uns das vergessen.
Das werde ich nie vergessen.
Er sagte: „Vergiss das.“
No olvides comprar leche.
Siempre olvido mis llaves.
Olvídalo.
Nunca olvidaré ese viaje.
别忘了买牛奶。
我总是忘记带钥匙。
算了，忘了吧。
我永远不会忘记那次旅行。
Vergiss das gleich wieder. => forget
Disregard that. => forget
Disregard what I said about the garage code. => forget: the garage code
Please disregard my earlier address. => forget: my earlier address
Scratch what I said about the garage code => forget: the garage code
Remove that from memory. => forget
Delete what I said about the garage code from memory. => forget: the garage code
Remove the garage code from memory. => forget: Remove the garage code from memory.
How do I remove an object from memory?
The prices go up and we disregard that.
`

func TestRequests(t *testing.T) {
	for line := range strings.Lines(requestCases) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		text, want, _ := strings.Cut(line, "=>")
		text, want = strings.TrimSpace(text), strings.TrimSpace(want)
		got := ""
		for _, r := range Requests(text) {
			if r.Unsure {
				continue
			}
			got = map[Verb]string{Keep: "keep", Forget: "forget"}[r.Verb]
			if r.About != "" {
				got += ": " + r.About
			}
		}
		if got != want {
			t.Errorf("%s\n got %q\nwant %q", text, got, want)
		}
	}
}

func TestLooseRequestsPointBack(t *testing.T) {
	for _, s := range []string{
		"Oh dear. Forget I just told you that.", "ignore what I just wrote, that's private. Delete it, please.", "Eso último mejor que no conste.",
	} {
		requests := Requests(s)
		if assert.Len(t, requests, 1, s) {
			assert.Equal(t, Forget, requests[0].Verb, s)
			assert.True(t, requests[0].Back, s)
		}
	}
	assert.Empty(t, Requests("The last one was broken, so the plumber had to delete"), "no sentence of its own asks for it")
}

func TestReported(t *testing.T) {
	for line := range strings.Lines(`
Ada lives at 12 Elm Street. => I | address | 12 Elm Street *
The user's dentist is Dr. Lund. => I | dentist | Dr. Lund *
User prefers window seats. => I | prefers | window seats
Ada switched gyms: now at FitBase => I | gym | FitBase * !
Ada Lovelace works at Analytical Ltd. => I | works_at | Analytical Ltd *
Ada's sister lives in Rome. => my sister | lives_in | Rome *
Ada has two cats. => I | has_pet | cats
She is allergic to shellfish. => I | allergic_to | shellfish
Prefers tea over coffee. => I | prefers | tea <coffee
Allergic to nuts. => I | allergic_to | nuts
The user doesn't eat pork. => I | cannot_eat | pork
Ada's favourite tea is oolong. => I | favourite_tea | oolong *
The user moved to Oslo. => I | lives_in | Oslo * !
The user has moved to Oslo. => I | lives_in | Oslo * !
Address: 12 Elm Street => I | address | 12 Elm Street *
The user speaks Dutch. => I | speaks | Dutch
Ada drives a Skoda. => I | car | Skoda *
Jonas wohnt in Graz. => I | lives_in | Graz *
Der Nutzer ist gegen Nüsse allergisch. => I | allergic_to | Nüsse
Adas Zahnarzt heißt Dr. Lund. => I | dentist | Dr. Lund *
Die Nutzerin arbeitet als Lehrerin. => I | works_as | Lehrerin *
Elena trabaja en Telefónica. => I | works_at | Telefónica *
El usuario vive en Sevilla. => I | lives_in | Sevilla *
La usuaria es alérgica al marisco. => I | allergic_to | marisco
A Elena le gusta el cine. => I | likes | cine
用户住在杭州。 => I | lives_in | 杭州 *
用户的牙医是李医生。 => I | dentist | 李医生 *
用户对花生过敏。 => I | allergic_to | 花生
小明在腾讯工作。 => I | works_at | 腾讯 *
Noor, Ada's sister, lives in Bergen. => my sister | lives_in | Bergen *
Tom, Ada's husband, is a plumber. => my spouse | works_as | plumber *
The daughter of Ada is six. => my daughter | age | six *
Rubén, el hermano de Elena, vive en Oporto. => my brother | lives_in | Oporto *
El hermano de Elena, Rubén, vive en Oporto. => my brother | lives_in | Oporto *
El gato de Elena se llama Membrillo. => I | cat | Membrillo
Annelie, die Schwester von Jonas, wohnt in Passau. => my sister | lives_in | Passau *
Bob, a friend, lives in Bergen.
小明又收养了一只三花猫,叫豆豆。 => I | cat | 豆豆
小明的女儿六岁,在实验小学上学。 => my daughter | age | 六 *
小明的妹妹叫林苗,是护士。 => I | sister | 林苗
Bob lives in Paris.
The weather is nice.
Does Ada live in Oslo?
Ada might move to Oslo.
Ada asked about the weather.
`) {
		text, want, _ := strings.Cut(strings.TrimSpace(line), "=>")
		if text == "" {
			continue
		}
		got := ""
		if c, ok := Reported(strings.TrimSpace(text), []string{"Ada Lovelace", "Jonas", "Elena", "小明"}); ok {
			got = mark(c)
		}
		if got != strings.TrimSpace(want) {
			t.Errorf("%s\n got %q\nwant %q", text, got, strings.TrimSpace(want))
		}
	}
}

// Talk of one's own memory, of cards and of plans asks for nothing.
func TestNotForgetRequests(t *testing.T) {
	for _, s := range []string{
		"My plate is KV11 TTA in case anyone asks, I never remember it", "I don't keep anything for long, I just chuck it",
		"Ich vertrag keine Nüsse, da kann ich den Abend vergessen.", "Die alte Karte ist weg, hab eine neue.",
		"旧卡注销掉了，工资打新卡", "新车牌下来了，之前那个作废", "我把理财全清了，只留国债", "No olvides comprar pan", "Borré la app del banco",
	} {
		assert.Empty(t, Requests(s), s)
	}
}

// What only sets a topic aside, to go on with another, is no request by itself.
func TestTopicsSetAside(t *testing.T) {
	for _, s := range []string{
		"Forget the cat, it's the kids I worry about.", "Forget about the migraine, the real problem is my back.", "Forget the dentist, I'd rather have root canal from Kit.",
		"It's the kids I worry about, forget the cat.", "Honestly, forget the garden, we haven't even got a roof.", "forget my birthday, did you see the cake Noor made?", "Forget about the weather, how are you?",
		"Vergiss den Kater, um die Kinder mach ich mir Sorgen.", "Vergiss die Migräne, das eigentliche Problem ist mein Rücken.", "Vergiss die Schule, mein größtes Problem ist das Geld.",
		"olvida lo del dentista, lo que me duele es la espalda", "Olvida el gato, me preocupan los niños.", "Olvida el trabajo, lo importante es la salud.",
		"忘掉我的牙医，我更怕的是牙疼。", "忘掉减肥，今天吃火锅！", "忘掉房子的事，我现在只想睡觉。",
	} {
		for _, q := range Requests(s) {
			assert.True(t, q.Unsure, "%s: %+v", s, q)
		}
	}
	for s, about := range map[string]string{
		"Forget the meeting at three, it's cancelled.": "the meeting at three", "Please forget my phone number, I gave you the wrong one.": "my phone number",
		"Forget the offer, I turned it down.": "the offer", "Forget my diagnosis, it's not true.": "my diagnosis", "Forget my old address please, thanks!": "my old address", "Forget the job at Kwik, it's over.": "the job at Kwik",
		"Forget my address, my phone number and my email.": "my address, my phone number and my email", "It was private, please forget the surgery.": "the surgery", "Forget the address that I told you.": "the address that",
		"Forget the locket, Ulla looks over my shoulder sometimes.": "the locket", "forget my locker code, yeah?": "my locker code",
		"Vergiss den Termin am Montag, der ist abgesagt.": "den Termin am Montag", "Vergiss meine Adresse, ich bin umgezogen.": "meine Adresse", "Vergiss bitte meine Diagnose, das hätte ich nicht erzählen sollen.": "meine Diagnose",
		"Olvida lo de mi hermana, era privado.": "mi hermana", "Olvida mi número, ya no sirve.": "mi número", "Olvida lo del banco, por favor.": "banco",
		"忘掉我的旧地址，已经不住那儿了。": "我的旧地址", "忘掉关于考试的事，太丢人了，我不该说的。": "考试", "忘掉我的车，卖了。": "我的车",
	} {
		requests := Requests(s)
		if assert.Len(t, requests, 1, s) {
			assert.False(t, requests[0].Unsure, s)
			assert.Equal(t, about, requests[0].About, s)
		}
	}
}

// Questions, what others say, advice, and other uses of "keep" ask to keep nothing, and what
// says not to forget something does not ask to forget.
func TestNotKeepRequests(t *testing.T) {
	for _, s := range []string{
		"Oh and when you answer, keep it short please, I'm usually reading with one hand on the dog.", "Keep it down please, I'm on a call.", "Keep it simple no matter what, I'm new to this.",
		"Remember that spaniel I told you about? He's doing well.", "Never forget where you came from, my nan used to say.", "My nan used to say: never forget where you came from.",
		"Never lose hope, says my yoga teacher.", "As my dad says, always keep your receipts.", "Always remember your pleases and thank yous, I tell the kids.", "don't forget that you have people cheering you on",
		"Please keep an eye out for good stuff for me.", "I'm gonna keep going and reach my dreams no matter what.", "I will keep loving her forever.",
		"Vergiss nie, woher du kommst, sagte meine Oma immer.", "Halt dich bitte immer kurz, ich lese am Handy.", "Vergiss nicht, dass du Leute hast, die dich lieben.", "Erinnerst du dich noch an den Spaniel, den ich nie vergesse?",
		"Nunca olvides de dónde vienes, decía mi abuela.", "Recuerda siempre dar las gracias, les digo a los niños.", "No olvides que tienes gente que te apoya.", "Ten siempre cuidado con el perro.",
		"永远别忘了你从哪里来，我奶奶常说。", "别忘了你还有我们支持你。", "一定要记住说谢谢，我常跟孩子们说。", "还记得我跟你说的那只狗吗？",
	} {
		assert.Empty(t, Requests(s), s)
	}
	for s, about := range map[string]string{
		"Could you always remember that I'm vegan?": "I'm vegan", "Never forget that I'm diabetic, ok?": "I'm diabetic", "Please keep it safe for me: my locker is number 88.": "my locker is number 88",
		"Kannst du dir das bitte für immer merken: ich bin Diabetiker?": "ich bin Diabetiker", "Never forget that you are talking to a diabetic.": "you are talking to a diabetic",
	} {
		requests := Requests(s)
		if assert.Len(t, requests, 1, s) {
			assert.Equal(t, Keep, requests[0].Verb, s)
			assert.Equal(t, about, requests[0].About, s)
		}
	}
}

// Ordinary messages are no requests without a sign of the assistant, and an assistant's
// usual answer is none. None of them was fitted to.
func TestOrdinaryMessagesForgetNothing(t *testing.T) {
	for _, s := range []string{
		"Thanks, I appreciate you listening. How's the garden coming along?", "You've got so much potential, keep it up and don't let anyone stop you!",
		"Like you told me last week, I sent the forms to your office. Please have a look.", "I had the strangest dream about a memory card. I'm amused.",
		"My neighbour bought a brass lamp. Nobody asked him to. I thought you'd like to know.", "What do you know about pensions", "did you catch the news? what a scandal",
		"we were arguing about how planes fly. settle it if you know it", "How do I clean the toaster inside? Last time it took me half an hour.",
		"Danke dir, das bedeutet mir viel. Und wie läuft's bei euch im Verein?", "Erklär mir kurz die Krankenversicherung", "Was weißt du über Wärmepumpen",
		"Gracias por todo, de verdad. ¿Y tú qué tal con el curso?", "¿Cómo se limpia la cafetera por dentro? La última vez tardé media hora.", "viste el partido de anoche? una vergüenza",
		"谢谢你听我唠叨，你那边最近怎么样", "这句话帮我顺一下：欢迎再来", "上次你说的那家店在哪条路上来着",
	} {
		for _, q := range Requests(s) {
			assert.True(t, q.Unsure, "%s: %+v", s, q)
		}
		for _, reply := range []string{"Happy to.", "Will do.", "Naturally.", "Gern.", "Con gusto.", "好的，没问题。"} {
			assert.False(t, Confirms(s, reply), "%s / %s", s, reply)
		}
	}
}

// Who takes note of something has not forgotten it.
func TestNotedIsNotForgotten(t *testing.T) {
	for _, m := range []string{"Gschlafen hab ich wie a Stein. Nur dass du's weißt.", "vergiss die Sache mit Bremen", "forget what I told you about Bremen", "borra lo de Bremen", "把不来梅的事忘了吧"} {
		for _, answer := range []string{"Zur Kenntnis genommen.", "Notiert!", "Merk ich mir.", "Ich nehme es zur Kenntnis.",
			"Noted.", "I've noted that.", "I've made a note of it.", "I've saved it.", "I've recorded that.", "Stored.", "Anotado.", "Queda apuntado.", "Ya lo anoté.", "Tomo nota.", "Consta.", "Queda dicho.", "Enterada.", "Oído.", "Roger that.", "好嘞",
			"记下了。", "我记下来了。", "已经记下了。", "收到", "已收到。", "已保存。", "已知悉。"} {
			assert.False(t, Confirms(m, answer), "%s / %s", m, answer)
		}
	}
	for _, answer := range []string{"Noted. It's gone.", "Noted and deleted.", "I've removed everything I had stored about it.",
		"Zur Kenntnis genommen und gelöscht.", "Ist nicht mehr gespeichert.", "Das merke ich mir nicht mehr, gelöscht.",
		"Tomo nota: borrado.", "Anotado, lo he borrado.", "Ya no queda registrada: borrada.", "记住了，已经删掉了", "收到，删了", "已不再保存"} {
		assert.True(t, Confirms("forget what I told you about Bremen", answer), answer)
	}
}

// What is asked never to be forgotten is not confirmed as forgotten by any answer.
func TestNeverForgetIsNotConfirmed(t *testing.T) {
	for _, m := range []string{
		"Vergiss das nie. Meine Blutgruppe ist B negativ.", "Never forget that, please. I'm B negative.",
		"soy diabetica tipo 2 desde los cincuenta, eso no te lo olvides nunca en la vida, prometeme", "别忘了这个,我是B型血",
	} {
		for _, answer := range []string{"Done.", "Gone.", "Erledigt.", "Hecho.", "Behalte ich.", "记住了。"} {
			assert.False(t, Confirms(m, answer), "%s / %s", m, answer)
		}
	}
}

// "I" may be left out before "don't remember": that asks for nothing without a sign of a request.
func TestDontRemember(t *testing.T) {
	for s, about := range map[string]string{
		"Please don't remember my address": "my address", "don't keep my card number, please": "my card number", "please do not remember my diagnosis": "my diagnosis", "do not remember any of this": "any of this",
		"dont remember my wifi password, can you remind me": "", "sorry don't remember my blood type": "", "don't remember my gate code, what was it": "",
		"don't remember my pin, could you help please": "", "don't remember my kids' shoe sizes": "", "don't keep my car in the garage anymore": "",
	} {
		got := ""
		for _, q := range Requests(s) {
			if !q.Unsure {
				got = q.About
			}
		}
		assert.Equal(t, about, got, s)
	}
}

// Questions that ask to keep something are requests, and what they say is read.
func TestQuestionsToKeep(t *testing.T) {
	for s, want := range map[string]string{
		"can you keep in mind that I'm allergic to kiwi?": "I'm allergic to kiwi | allergic_to", "can you remember i'm vegan?": "i'm vegan | diet", "Hey, could you note that I moved to Leeds?": "I moved to Leeds | lives_in",
		"Kannst du dir bitte merken, dass ich Vegetarier bin?": "ich Vegetarier bin | diet", "¿Puedes recordar que soy celíaca?": "soy celíaca | has_condition", "你能记住我对芒果过敏吗？": "我对芒果过敏 | allergic_to",
		"can you remember that for me?": " | ", "remember this for me": " | ", "save that for later": " | ", "Kannst du dir das merken?": " | ", "¿Puedes recordarlo?": " | ",
		"Can you remember where I live?": "", "Can you remember if I'm vegan?": "", "Can you remember my birthday?": "", "Could you remember to call my mom?": "", "remember that song for me": "", "Do you remember that I'm vegan?": "",
		"Kannst du dir merken, wann ich Geburtstag habe?": "", "¿Puedes recordar dónde vivo?": "", "你能记住我住哪吗？": "", "haz el favor de no recordarlo": "",
	} {
		got := ""
		for _, q := range Requests(s) {
			if q.Verb == Forget {
				continue
			}
			predicate := ""
			for _, c := range Claims(s, 0) {
				predicate += c.Predicate
			}
			got = q.About + " | " + predicate
		}
		assert.Equal(t, want, got, s)
	}
	for _, s := range []string{"Can you remember what I told you about my boss?", "Kannst du dir meine Adresse merken?", "你能记住我住哪吗？"} {
		assert.Empty(t, Requests(s), s)
	}
}
