package orders

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// TestOf reads testdata/*.txt: sentences of developers, of people who run services, write, work with
// data and in offices, and of their lives, which the forms are for or must not read.
func TestOf(t *testing.T) {
	kinds := map[string]Kind{"now": Now, "rule": Rule, "none": None}
	for _, language := range []string{"en", "de", "es", "zh"} {
		file, err := os.ReadFile("testdata/" + language + ".txt")
		require.NoError(t, err)
		count := make(map[Kind]int)
		for line := range strings.Lines(string(file)) {
			name, sentence, ok := strings.Cut(strings.TrimSpace(line), ": ")
			kind, known := kinds[name]
			if !ok || !known {
				continue
			}
			count[kind]++
			assert.Equal(t, kind, Of(sentence), sentence)
		}
		for _, kind := range kinds {
			require.GreaterOrEqual(t, count[kind], 10, "%s %d", language, kind)
		}
	}
}

func TestBare(t *testing.T) {
	for _, c := range []struct {
		bare    bool
		message string
	}{
		{true, "commit"},
		{true, "push it"},
		{true, "show me the diff"},
		{true, "run the tests"},
		{true, "can you run the failing tests again?"},
		{true, "fix the lint errors in internal/x.go"},
		{true, "undo the last change"},
		{true, "zeig mir den Diff"},
		{true, "lass die Tests laufen"},
		{true, "muéstrame el diff"},
		{true, "ejecuta los tests"},
		{true, "跑一下测试"},
		{true, "给我看diff"},

		{false, "draft the mail to Jo"},
		{false, "book the table for Friday"},
		{false, "use table tests"},
		{false, "always run the tests"},
		{false, "show me my appointments"},
		{false, "run the usual report for Lena"},
		{false, "what did I say about the diff?"},
		{false, "send Mum the photos"},
		{false, "zeig mir meine Termine"},
		{false, "schreib Oma eine Karte"},
		{false, "reserva mesa para dos"},
		{false, "给我妈写封信"},
	} {
		assert.Equal(t, c.bare, Bare(c.message), c.message)
	}
}

func TestLimited(t *testing.T) {
	for _, c := range []struct {
		limited  bool
		sentence string
	}{
		{true, "in this session answer in German"},
		{true, "answer in English until we're done with the translation"},
		{true, "for the rest of the day keep it short"},
		{true, "no emojis for the next two hours"},
		{true, "only short answers while we are on this incident"},
		{true, "for this PR skip the changelog"},
		{true, "call me boss in this conversation"},
		{true, "today only short answers please"},
		{true, "antworte auf Englisch, bis wir mit der Übersetzung fertig sind"},
		{true, "in dieser Sitzung bitte auf Deutsch"},
		{true, "en esta sesión responde en inglés"},
		{true, "responde en inglés hasta que terminemos"},
		{true, "在这个会话里用德语回答"},
		{true, "翻译完之前用英语回答"},

		{false, "answer in German"},
		{false, "always answer in one line"},
		{false, "call me Sam"},
		{false, "I live in this city since May"},
		{false, "keep answers short from now on"},
		{false, "no emojis please"},
		{false, "until the surgery I walked every day"},
		{false, "antworte immer auf Deutsch"},
		{false, "responde siempre en español"},
		{false, "用中文回答我"},
	} {
		assert.Equal(t, c.limited, Limited(c.sentence), c.sentence)
	}
}

func TestTask(t *testing.T) {
	for _, c := range []struct {
		task    bool
		message string
	}{
		{true, "You are a research agent. Find three vendors for catering in Lisbon and always answer in JSON."},
		{true, "You are a research agent working for Ada. I need three caterers. Never suggest anything above 2000 euros."},
		{true, "You're the code review sub-agent. We use tabs, not spaces."},
		{true, "You are a helpful assistant. Keep answers under 100 words."},
		{true, "# Role\nYou are an expert copywriter.\n\n# Rules\n- Always write in British English."},
		{true, "Act as a code reviewer. Be concise. Answer in German."},
		{true, "Your task is to write the invitation. Always use a warm tone."},
		{true, "Du bist ein Recherche-Agent. Antworte immer auf Englisch."},
		{true, "Du bist ein erfahrener Lektor. Antworte immer kurz."},
		{true, "Deine Aufgabe: die Einladung schreiben. Immer per Du."},
		{true, "Eres un agente de investigación. Responde siempre en JSON."},
		{true, "Tu tarea es escribir la invitación. Responde siempre en español."},
		{true, "你是一个研究智能体。请始终用JSON回答。"},
		{true, "你的任务是写邀请函，始终用中文回答。"},
		{true, "You are a research agent that finds the best caterers in Lisbon. Always answer in JSON."},
		{true, "You are a research agent. I am the planner agent. Always answer in JSON."},
		{true, "You are a coding agent; you don't have network access. Never push to main."},
		{true, "You are the summarization agent. The user is allergic to nuts. Answer in German."},
		{true, "You are a customer support assistant. Never promise refunds."},
		{true, "Your task is to plan the party. Answer in Portuguese."},
		{true, "Your task is to write the wedding invitation. Always use a warm tone."},
		{true, "Deine Aufgabe ist es, die Feier zu planen. Antworte immer auf Englisch."},
		{true, "Du bist ein Recherche-Agent wie im Plan beschrieben. Antworte immer auf Englisch."},
		{true, "你的任务是总结文档，始终用英文回答。"},

		{false, "You are an expert nutritionist. I'm vegetarian and allergic to nuts."},
		{false, "You are a lifesaver. I start at the bakery on Monday"},
		{false, "Act as my coach: I weigh 92 kg and want to run 10k"},
		{false, "Your task is to remind me that I'm allergic to nuts"},
		{false, "You are the best assistant. Moved to Oslo yesterday."},
		{false, "You're a great writer, thanks. Mum's birthday is 4 June."},
		{false, "You are an excellent planner! Dinner is at Rosa's, birthday of Tom."},
		{false, "You're the test agent, right? I take metformin twice a day."},
		{false, "You're a code agent and I'm a baker, remember?"},
		{false, "You are a memory agent. Remember that I'm allergic to penicillin."},
		{false, "You are a coding agent working with me. I prefer tabs."},
		{false, "Act as an AI agent for my household: we are 4 people, one is vegan."},
		{false, "Act as a research agent. I'm a midwife in Basel."},
		{false, "You are the web agent I pay for. Cancel nothing."},
		{false, "Your task: remember that the car is parked on level 3."},
		{false, "Your task is done. New job starts Monday at the bakery."},
		{false, "Act as a travel planner. Two adults, two kids, vegetarian, from Graz."},
		{false, "You are a helpful assistant. User: Tom Brill, 34, allergic to nuts."},
		{false, "Du bist der beste Assistent. Umzug nach Kiel ist am 3. Mai."},
		{false, "Du bist ein KI-Agent, also schmeckst du nichts. Ich mag keinen Koriander."},
		{false, "Du bist ein Code-Agent, ich bin Hebamme."},
		{false, "Du bist ein Recherche-Agent, oder? Ich heiße Lena."},
		{false, "Deine Aufgabe ist: merk dir, dass der Wagen auf Ebene 3 steht."},
		{false, "Du bist ein Experte für alles. Seit Januar vegan."},
		{false, "Eres la mejor asistente. Mudanza a Vigo el 3 de mayo."},
		{false, "Eres un agente de datos y yo soy panadera."},
		{false, "Tu tarea: recordar que el coche está en la planta 3."},
		{false, "Eres un experto. Vivimos en Vigo desde mayo."},
		{false, "你是一个好助手，婚礼是6月5日"},
		{false, "你是AI代理，我是面包师"},
		{false, "你是数据分析智能体吧？我叫李娜"},
		{false, "你的任务是记住：车停在三楼"},
		{false, "You are an angel. And distract me, what about the laundry?"},
		{false, "You're hired. How's Nermin?"},
		{false, "You're an expert at this, my code never compiled before."},
		{false, "You are my assistant. Always answer in German."},
		{false, "Your task for today: call my mum."},
		{false, "My estate agent is called Brill. You are a star."},
		{false, "I told the intern: you are a research agent now."},
		{false, "Always answer in German."},
		{false, "Du bist ein Schatz, antworte immer so kurz."},
		{false, "Du bist ein Experte, und ich bin Vegetarierin."},
		{false, "Eres un sol. Responde siempre así."},
		{false, "Eres una experta. Soy alérgica a las nueces."},
		{false, "你是一个营养专家。我吃素，对坚果过敏。"},
		{false, "你是不是特别喜欢列清单"},
	} {
		assert.Equal(t, c.task, Task(c.message), c.message)
	}
}

func TestHere(t *testing.T) {
	for _, c := range []struct {
		here     bool
		sentence string
	}{
		{true, "we use tabs here"},
		{true, "The tests in this repo run with make check."},
		{true, "This project is written in Rust."},
		{true, "We switched from Postgres to SQLite."},
		{true, "our staging server is called kestrel"},
		{true, "My manager here is Felix."},
		{true, "CI no longer runs on GitHub Actions here, we moved to Buildkite."},
		{true, "CI runs on GitHub Actions."},
		{true, "The tests run with make check."},
		{true, "Remember: the release branch is stable."},
		{true, "Die Tests laufen mit make check."},
		{true, "Las pruebas se lanzan con make check."},
		{true, "测试用make check跑。"},
		{true, "We deploy on Fridays."},
		{true, "Wir nutzen hier Tabs."},
		{true, "In diesem Repo laufen die Tests mit make check."},
		{true, "Unsere Datenbank ist Postgres."},
		{true, "Aquí usamos tabuladores."},
		{true, "Este proyecto está escrito en Rust."},
		{true, "这里用制表符。"},
		{true, "我们用Postgres。"},
		{true, "We go to staging before prod."},
		{true, "We have a staging server."},
		{true, "Every package here has a doc.go."},
		{true, "All packages in this repo use tabs."},
		{true, "I prefer tabs in this repo."},
		{true, "Answer in German here, we write for Germans."},
		{true, "Wir fahren Migrationen hier immer doppelt."},
		{true, "Unsere Services heißen nach Vögeln."},
		{true, "Nuestros tests usan pytest."},
		{true, "我们的测试用pytest。"},

		{false, "our database at home"},
		{false, "In all our projects we use tabs."},
		{false, "We use tabs everywhere."},
		{false, "Never push to main in any of our repos."},
		{false, "Always answer in German, we are Germans."},
		{false, "I moved to Oslo, we use oat milk now."},
		{false, "We drink oat milk."},
		{false, "We have two dogs."},
		{false, "We're from Graz."},
		{false, "We go to Crete every May."},
		{false, "We speak Spanish at home."},
		{false, "I work here since May."},
		{false, "I'm here in Oslo for two weeks."},
		{false, "My sister lives here too."},
		{false, "My kids go to school here."},
		{false, "It's 38 degrees here."},
		{false, "I started this project in 2019 as a hobby."},
		{false, "The test is positive."},
		{false, "The package is at the neighbours'."},
		{false, "Wir nutzen jetzt Hafermilch."},
		{false, "Wir sind vegan."},
		{false, "Unser Zahnarzt ist Dr. Brill."},
		{false, "Ich bin hier geboren."},
		{false, "In allen unseren Projekten nutzen wir Tabs."},
		{false, "Usamos leche de avena ahora."},
		{false, "Nuestro casero se llama Brill."},
		{false, "Trabajo aquí desde mayo."},
		{false, "En todos nuestros proyectos usamos tabuladores."},
		{false, "我们用燕麦奶了。"},
		{false, "我们的婚礼是6月5日。"},
		{false, "我妹妹在这里上学。"},
		{false, "我们所有项目都用Postgres。"},

		{false, "I prefer short answers."},
		{false, "Never push to main."},
		{false, "I live here since May."},
		{false, "I have run the tests of the eye clinic."},
		{false, "My code is 4471."},
		{false, "It rained here all day."},
		{false, "here is the log"},
		{false, "We moved to Lisbon in May."},
		{false, "Our daughter is six."},
		{false, "We eat at seven."},
		{false, "Our garden is full of slugs."},
		{false, "Ich bin Vegetarierin."},
		{false, "Wir wohnen in Graz."},
		{false, "Unsere Tochter ist sechs."},
		{false, "Vivo aquí desde mayo."},
		{false, "Nuestra hija tiene seis años."},
		{false, "我们搬到上海了。"},
		{false, "我对坚果过敏。"},
	} {
		assert.Equal(t, c.here, Here(c.sentence), c.sentence)
	}
}
