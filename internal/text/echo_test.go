package text

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOnlyAsks(t *testing.T) {
	for _, s := range []string{
		"Which car do I have?", "which car do i have", "What's my sister called?", "Shall we order the pizza?", "Hey, when is the wedding?",
		"In which city do I live?", "Do I like olives?", "What do I drive? And since when?",
		"Welches Auto fahre ich?", "wo wohnt Jana", "Habe ich Geschwister?", "An welchem Tag ist die Hochzeit?",
		"¿Qué coche tengo?", "¿Cuándo es la boda?", "¿Tengo hermanos?", "¿De qué color es?",
		"does jordan believe hes the father", "who teaches me at college", "wat hat der imker mir zu zahlen", "mit wat für ner linie bin ich unterwegs",
		"que comemos los domingos despues de la iglesia", "en que año llego el hombre a la luna", "婚戒改成几号的 哪家改的", "我跟嘉树现在算结婚了没", "亲戚里谁跟我拿过钱", "wat hab ich am 1. november abends gegessen",
		"我开什么车？", "我的婚礼是哪天", "我有兄弟姐妹吗？", "你知道我住在哪里吗",
	} {
		require.True(t, OnlyAsks(s), s)
	}
	for _, s := range []string{
		"", "I drive a green Skoda.", "I'm allergic to nuts, what can I cook?", "We moved to Oslo. Did I tell you?",
		"What a day! We got married.", "When I was ten we moved to Oslo.", "When I was ten, we moved", "Have a nice day", "I have a dog",
		"Ich fahre einen Skoda.", "Als ich zehn war, zogen wir um.", "Was für ein Tag!", "Ich bin umgezogen, weißt du das schon?",
		"Tengo un perro.", "Como siempre, fui al mercado.", "我开绿色的车。", "我昨天结婚了！", "我什么都吃。",
		"What I love is cheese", "how lovely", "wo ich wohne ist es laut", "Wer mich kennt, weiß das", "Que pases buen día", "谁都没告诉", "什么都不想吃", "几天没睡", "他还在上课呢",
		"How about this: I will start on Monday.", "I had to postpone the wedding, was that wise?", "我对坚果过敏，可以吃什么？",
	} {
		require.False(t, OnlyAsks(s), s)
	}
}

func TestIsNoAnswer(t *testing.T) {
	for _, s := range []string{
		"I do not know that, sorry.", "I don't know.", "Sorry, I'm not sure.", "No idea!", "Unfortunately I don't have any information about your car.",
		"I don’t know that yet. Could you tell me?", "I'm sorry, I don't have that information.", "You haven't told me where you live.",
		"Das weiß ich leider nicht", "Das weiß ich nicht, tut mir leid.", "Keine Ahnung.", "Ich weiß es leider nicht.", "Leider habe ich dazu keine Informationen.",
		"No lo sé", "No lo sé, lo siento.", "Lo siento, no tengo información sobre eso.", "No recuerdo eso.", "Ni idea.",
		"我不知道", "抱歉，我不知道。", "对不起，我不清楚您的地址。", "我没有相关信息。", "这个我不记得了，你能告诉我吗？",
	} {
		require.True(t, IsNoAnswer(s), s)
	}
	for _, s := range []string{
		"", "Sorry!", "I know that.", "You drive a green Skoda.", "I don't know anybody in Oslo but Vera.", "I don't know, we moved to Leeds when I was ten.",
		"I'm not sure the green Skoda will make it, so I bought a bike.", "Ich weiß, dass Jana in Wien wohnt.", "Keine Milch mehr da.",
		"No tengo coche.", "Sé que Ana vive en Lima.", "我不吃肉。", "我不知道去哪，后来去了北京。", "I remember the wedding.",
		"Sorry, the wedding is on 14 June.",
	} {
		require.False(t, IsNoAnswer(s), s)
	}
}

func TestAsksWhatWasAsked(t *testing.T) {
	for _, s := range []string{
		"What did I ask you yesterday?", "What was my last question?", "Was habe ich dich gestern gefragt?", "¿Qué te pregunté ayer?", "我昨天问了什么？", "我昨天問了什麼？",
	} {
		require.True(t, AsksWhatWasAsked(s), s)
	}
	for _, s := range []string{"Which car do I have?", "Wo wohne ich?", "¿Dónde vivo?", "我住在哪里？", "Which task is next?"} {
		require.False(t, AsksWhatWasAsked(s), s)
	}
}
