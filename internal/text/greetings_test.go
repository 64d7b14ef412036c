package text

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestIsSmallTalk(t *testing.T) {
	for _, s := range []string{
		"", "  ", "🙂", "?!", "…", "hi", "Hi!", "Hello there", "heyyy", "HELLO!!!", "good morning", "Good evening, everyone",
		"thanks", "Thanks!", "thank you so much", "ok great", "Ok, great, thanks a lot!", "okay", "got it", "I see.", "sounds good 👍", "that makes sense, thanks",
		"how are you?", "Hey, how's it going?", "what’s up?", "yes", "no thanks", "bye, see you tomorrow!", "good night", "lol", "hahaha", "you're right", "ok?",
		"danke", "Vielen Dank!", "Guten Morgen", "alles klar, danke", "wie geht's?", "Tschüss",
		"gracias", "¡Muchas gracias!", "hola, ¿qué tal?", "vale, perfecto", "merci beaucoup", "d'accord", "s'il vous plaît", "ça va ?", "grazie mille", "muito obrigado",
		"спасибо", "Большое спасибо!", "привет, как дела?", "хорошо, понятно", "dank je wel", "teşekkürler",
		"好的", "谢谢", "谢谢！", "好的，谢谢你", "你好", "嗯嗯", "哈哈哈", "再见", "在吗？", "ありがとうございます", "はい、わかりました", "감사합니다",
		"merhaba", "tamam", "evet", "/help", " /status", "/new-chat",
	} {
		require.True(t, IsSmallTalk(s), "%q", s)
	}
	for _, s := range []string{
		"who is Vitya?", "ok and my dog?", "thanks Vitya", "and then?", "so?", "again", "hi, where did I park?", "thanks, and the other one?", "good restaurants?",
		"no problem with the car since March", "my birthday", "dog", "42", "Noor", "why?", "when?", "great idea for a gift?", "is it fine?", "yes?", "next?",
		"morning run", "see you at the station", "same doctor", "wer ist Vitya?", "danke, und mein Hund?", "¿y mi perro?", "et mon chien ?", "а моя собака?", "спасибо, а где ключи",
		"我的狗叫什么", "谢谢你的礼物", "好的餐厅", "你好吗小明", "私の犬は？", "제 개는?",
		"/etc/passwd", "/2", "/help me with the tax", "What is /status?", strings.Repeat("thanks ", 30),
	} {
		require.False(t, IsSmallTalk(s), "%q", s)
	}
}

// A text with a word that is no part of a greeting is never small talk.
func TestIsSmallTalkNeedsEveryWord(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		courtesy := rapid.SampledFrom([]string{"hi", "thanks", "ok great", "danke", "спасибо", "好的"})
		before, after := courtesy.Draw(t, "before"), courtesy.Draw(t, "after")
		word := rapid.StringMatching(`[xz][qj][a-z]{2,8}`).Draw(t, "word")
		require.True(t, IsSmallTalk(before+", "+after))
		require.False(t, IsSmallTalk(before+" "+word+" "+after))
	})
}
