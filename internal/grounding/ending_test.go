package grounding

import (
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

func TestEndings(t *testing.T) {
	said := time.Date(2025, 3, 10, 9, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		old, later string
		ends       bool
	}{
		{"Our caravan is parked in Whitby.", "We sold the caravan on Saturday.", true},
		{"I've got an allotment behind the railway line.", "I gave up the allotment in the end, my back wasn't having it.", true},
		{"The gym is on Castle Street, I go on Mondays.", "Cancelled the gym membership yesterday.", true},
		{"Our book club meets on the first Wednesday.", "The book club has folded.", true},
		{"I swim on Tuesdays before work.", "I've given up swimming.", true},
		{"The trip to Porto is from 12 to 16 May.", "The trip to Porto is off.", true},
		{"Dentist is on Wednesday at 10.", "Dentist moved to Friday at 2.", true},
		{"The wedding is on 3 May.", "The wedding is now in June.", true},
		{"Tom has karate on Wednesdays at five.", "No more karate for Tom.", true},
		{"I sing in the choir on Thursdays.", "I've stopped going to choir.", true},
		{"We have a cleaner on Mondays.", "Had to let the cleaner go, money's tight.", true},
		{"Ella does ballet on Saturdays at ten.", "Ella's given up ballet, it's football now.", true},
		{"Unser Wohnwagen steht in Büsum.", "Der Wohnwagen ist verkauft.", true},
		{"Ich gehe montags ins Fitnessstudio am Ring.", "Hab das Fitnessstudio gekündigt.", true},
		{"Der Urlaub auf Kreta geht vom 3. bis 17. August.", "Der Urlaub fällt aus.", true},
		{"Jonas hat mittwochs um fünf Judo.", "Kein Judo mehr für Jonas.", true},
		{"Nuestra caravana está en Gandía.", "Vendimos la caravana a una pareja de Murcia.", true},
		{"La boda es el 3 de mayo en Ronda.", "Se cancela la boda.", true},
		{"Canto en el coro los jueves.", "Ya no voy al coro.", true},
		{"我的车停在地下二层。", "车卖了。", true},
		{"婚礼定在5月3日。", "婚礼取消了。", true},
		{"我周二早上去游泳。", "我不游泳了。", true},

		// doubted, denied, asked, quoted, planned
		{"My boat is moored at Shotley.", "I might sell the boat.", false},
		{"My boat is moored at Shotley.", "We haven't sold the boat.", false},
		{"My boat is moored at Shotley.", "Should we have sold the boat?", false},
		{"My boat is moored at Shotley.", "If I sold the boat I'd miss it.", false},
		{"My boat is moored at Shotley.", "The song goes \"we sold the boat\".", false},
		{"My boat is moored at Shotley.", "Dad said he sold the boat.", false},
		{"Mein Boot liegt in Schleswig.", "Fast hätte ich das Boot verkauft.", false},
		{"Mi barco está en Sanlúcar.", "A lo mejor vendemos el barco.", false},
		{"我的船停在太湖边。", "我可能要把船卖了。", false},
		// one of several, a part, another thing
		{"We have two cars.", "I sold one of the cars.", false},
		{"We have two cars.", "I sold the car.", false},
		{"My kayak is red.", "Sold a kayak to the neighbour.", false},
		{"The idea for the shop is a repair cafe.", "Sold the idea to Priya.", false},
		{"Our flat is in York.", "We sold the flat in Leeds.", false},
		{"My sister's horse is at Hexham.", "We sold the horse.", false},
		{"I drink coffee at breakfast.", "I've stopped drinking coffee after six.", false},
		{"I do karate on Mondays.", "Karate is cancelled this week.", false},
		{"The caravan park at Filey has a pool.", "We sold the caravan.", false},
		// one appointment of a series
		{"I do yoga on Saturdays.", "Yoga is cancelled this weekend.", false},
		{"I do yoga on Saturdays at 10.", "Yoga is cancelled this weekend.", false},
		{"Our book club meets every Friday.", "Book club is cancelled on Friday.", false},
		{"Our book club meets every Friday at 8.", "Book club is cancelled on the 12th.", false},
		{"Our book club meets every Friday at 8.", "Book club is cancelled.", true},
		{"Samstags mache ich Yoga.", "Yoga fällt dieses Wochenende aus.", false},
		{"Samstags mache ich Yoga.", "Yoga fällt nächste Woche aus.", false},
		{"Samstags mache ich Yoga.", "Yoga fällt übermorgen aus.", false},
		{"Samstags mache ich Yoga.", "Yoga ist am Samstag abgesagt.", false},
		{"Samstags mache ich Yoga.", "Yoga fällt ab Samstag aus.", true},
		{"Los viernes hago yoga a las 8.", "El yoga se cancela.", false}, // not in that form
		{"Los viernes hago yoga a las 8.", "El yoga está cancelado.", true},
		{"Los viernes hago yoga a las 8.", "El yoga está cancelado este viernes.", false},
		{"我周六上瑜伽课。", "瑜伽课取消了。", true},
		{"我每周六上瑜伽课。", "这个周末瑜伽课取消了。", false},
		{"I have a dentist appointment on 14 March at 10.", "The dentist appointment is cancelled on Friday.", true},
		{"The gym is on Castle Street, I go on Mondays.", "Cancelled the gym membership on Friday.", true},
		// what one lacks, for a time or as a supply
		{"I'm allergic to eggs.", "There are no more eggs.", false},
		{"I'm allergic to cats.", "We gave away the cat.", false},
		{"I don't eat eggs.", "There are no more eggs.", false},
		{"I have eggs for breakfast.", "There are no more eggs.", false},
		{"Ich vertrage keine Milch.", "Wir haben keine Milch mehr.", false},
		{"Milch vertrage ich nicht.", "Wir haben keine Milch mehr.", false},
		{"Ich trinke Kaffee mit Milch.", "Wir haben keine Milch mehr.", false},
		{"Unser Klavier steht hinten.", "Wir haben kein Klavier mehr.", true},
		{"Soy alérgica a los huevos.", "Ya no hay huevos.", false},
		{"No como huevos.", "Ya no tenemos huevos.", false},
		{"我对鸡蛋过敏。", "鸡蛋没了。", false},
		{"我不吃鸡蛋。", "鸡蛋没了。", false},
		{"My kids go to Greenfield Primary.", "We don't have the kids this weekend.", false},
		{"My kids go to Greenfield Primary.", "We don't have the kids.", false},
		{"My car is a Polo.", "I don't have the car today.", false},
		{"My car is a Polo.", "I no longer have the car.", true},
		{"My car is a Polo and does not start well.", "We sold the car.", true},
		{"Mein Auto ist ein Polo.", "Heute habe ich kein Auto mehr.", false},
		{"Mi coche es un Polo.", "Ya no tengo coche esta semana.", false},
		// other people
		{"Our kayak is a two-seater.", "My uncle gave away his kayak.", false},
		{"My dog sleeps in the kitchen.", "Priya's dog died.", false},
		{"My yoga class is on Sundays.", "Jess has given up yoga.", false},
		{"Tom has karate on Wednesdays.", "I've given up karate.", false},
		{"Mein Klavier steht hinten.", "Meine Schwester hat ihr Klavier verkauft.", false},
		{"Unser Hund schläft in der Küche.", "Der Hund von Petra ist gestorben.", false},
		{"Mi piano está atrás.", "Mi hermana vendió su piano.", false},
		{"我的钢琴在里屋。", "我姐把她的钢琴卖了。", false},
		{"The alarm is by the door.", "The alarm is off.", false},
		{"My glasses are in the hall.", "The jay has stolen my glasses.", true},
		{"The jay sits on the fence.", "The jay has stolen my glasses.", false},
		{"I play soccer on Saturdays.", "He's done with soccer.", false},
		{"Karim has the bakery on Market Street.", "Karim is gone to fetch the bread.", false},
		{"Alarm code here is 7735, landlord says don't lose it.", "No more landlord.", false},
		// what happened stays true
		{"We bought the sofa in 2018.", "We got rid of the sofa.", false},
		{"Das Sofa haben wir 2018 gekauft.", "Wir haben das Sofa verschenkt.", false},
		{"沙发是2018年买的。", "沙发送人了。", false},
		{"I love swimming.", "I've given up swimming.", false},
	} {
		ended := said.AddDate(0, 0, 5)
		ends := slices.ContainsFunc(Endings(c.later), func(e Ending) bool { _, ends := e.Part(c.old, said, ended); return ends })
		assert.Equal(t, c.ends, ends, "%s %s", c.old, c.later)
	}
}
