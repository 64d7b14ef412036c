package text

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestStanceOfAQuestion(t *testing.T) {
	for _, s := range []string{
		"Which car do I have?", "Where does my sister live?", "Shall we order the pizza?", "Tell me where I live.", "What shade would make me happy?",
		"Wo wohnt meine Schwester?", "Welches Auto fahre ich?", "¿Cuándo es mi boda?", "¿Tengo hermanos?", "我住在哪里？", "帮我看看我的地址",
	} {
		require.True(t, IsPersonal(s), s)
		require.False(t, IsGeneral(s), s)
	}
	for _, s := range []string{
		"Write a haiku about rain.", "Tell me a joke", "What is a monad?", "How does a heat pump work?", "Translate 'bread' into Dutch.",
		"Schreib mir ein Gedicht über den Herbst.", "Was ist ein Monad?", "Erkläre die Photosynthese.",
		"Escribe un poema sobre el mar.", "¿Qué es un agujero negro?", "写一首关于雨的诗", "什么是量子力学？", "给我讲个笑话",
	} {
		require.True(t, IsGeneral(s), s)
		require.False(t, IsPersonal(s), s)
	}
	for _, s := range []string{"", "When is the wedding?", "Where does Vera live?", "Wann ist die Hochzeit?", "¿Cuándo es la boda?", "婚礼是哪天？"} {
		require.False(t, IsPersonal(s), s)
		require.False(t, IsGeneral(s), s)
	}
}

func TestAsksYou(t *testing.T) {
	for _, s := range []string{
		"What did you suggest for the roof?", "Which recipe have you ever given me?", "The list you gave me last week, what was on it?", "What was your recommendation?",
		"What did you also tell me about Porto?", "What had you originally proposed?",
		"Was hast du mir für das Dach empfohlen?", "Welches Rezept haben Sie mir gegeben?", "Wie lautete dein Vorschlag?", "Was sagtest du über Porto?",
		"¿Qué me recomendaste para el tejado?", "¿Qué me has dicho de Oporto?", "¿Cuál era tu consejo?",
		"你推荐的那家店叫什么？", "你之前建议我怎么做？", "您告诉过我哪条路？",
	} {
		require.True(t, AsksYou(s), s)
	}
	for _, s := range []string{
		"", "you", "What would you recommend?", "Can you tell me where I live?", "What did Ada tell me?", "Did you know that I sing?", "Do you say so?",
		"Was haben sie gesagt?", "Hast du Zeit?", "Kannst du etwas empfehlen?", "¿Qué me recomiendas?", "¿Has comido?", "你能推荐一家店吗？", "你推荐哪个？", "我之前说过什么？",
	} {
		require.False(t, AsksYou(s), s)
	}
}
