package grounding

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
)

// What an ending marks of a message: nothing, all of it, or the quoted part.
func TestEndingsMarkOnlyWhatEnds(t *testing.T) {
	const nothing, all = "-", ""
	said := time.Date(2025, 3, 10, 9, 0, 0, 0, time.UTC)
	for _, c := range []struct{ old, later, part string }{
		// English: a person
		{"Pat comes on Tuesdays to do the hedges.", "Pat's dead.", all},
		{"Pat is our chimney sweep.", "Pat has died.", all},
		{"My aunt lives in Sligo.", "My aunt passed away.", all},
		{"I visit Pat every Sunday.", "Pat's dead.", all},
		{"The boiler is a Vokera. Pat services it, and Pat keeps the key. My blood group is O.", "Pat died.", "Pat services it, and Pat keeps the key."},
		{"Pat comes on Tuesdays, I'm allergic to latex.", "Pat died.", "Pat comes on Tuesdays"},
		{"In 1991 a wasp stung me in Tralee, my tongue swelled up and if Pat Noone hadn't had a car I was finished. They told me to carry the pen always. Pat still says I owe him a tyre.", "Pat's dead.", nothing},
		{"Pat drove me to the hospital and I have the scar still.", "Pat's dead.", nothing},
		{"I owe Pat fifty quid.", "Pat's dead.", nothing},
		{"I have the recipe from Pat.", "Pat's dead.", nothing},
		{"I was born in Ennis. Pat taught me to swim.", "Pat's dead.", nothing},
		{"Pat is allergic to bees and so am I.", "Pat's dead.", nothing},
		{"Pat's birthday is on 3 May.", "Pat's dead.", nothing},
		{"Pat's safe code is 4411.", "Pat's dead.", nothing},
		{"I am named after my aunt.", "My aunt died.", nothing},
		{"My aunt left me the clock in 2011.", "My aunt died.", nothing},
		{"I work with a man who knows Pat.", "Pat's dead.", nothing},
		{"I take the tablets Pat told me about.", "Pat died.", nothing},
		{"i owe pat fifty quid", "pat's dead", nothing},
		{"pat comes tuesdays", "pat's dead", all},
		// a thing
		{"We got engaged in the caravan and I have the ring still.", "We sold the caravan.", nothing},
		{"I know a couple who have a caravan.", "We sold the caravan.", nothing},
		{"I learnt to drive in the car that dad left.", "We sold the car.", nothing},
		{"Our choir is on Tuesdays and I met Jim at choir.", "The choir has folded.", "Our choir is on Tuesdays"},
		{"My bike lock number is 8123.", "My bike was stolen.", nothing},
		{"I broke my wrist on the boat in 2009, and it is stiff to this day.", "We sold the boat.", nothing},
		{"Our boat is at Lymm and I can't swim.", "We sold the boat.", "Our boat is at Lymm"},
		{"We've got the boat at Lymm. I'm diabetic. The kids are 4 and 6.", "We sold the boat.", "We've got the boat at Lymm."},
		{"Our boat is moored at Lymm, by the lock.", "We sold the boat.", all},
		{"I sing in the choir on Thursdays.", "The choir has folded.", all},
		// a date
		{"Dentist is on Wednesday at 10.", "Dentist moved to Friday at 2.", "Wednesday at 10"},
		{"The scan is at the city hospital on 12 March, drops in the eyes so I can't drive.", "The scan is moved to 20 March.", "12 March"},
		{"The scan is at the city hospital, bring the letter.", "The scan is moved to 20 March.", nothing},
		// German
		{"Bernd kommt dienstags zum Rasenmähen.", "Bernd ist gestorben.", all},
		{"Meine Tante wohnt in Celle.", "Meine Tante ist gestorben.", all},
		{"Unser Wohnwagen steht in Büsum und ich vertrage kein Ibuprofen.", "Der Wohnwagen ist verkauft.", "Unser Wohnwagen steht in Büsum"},
		{"Ich bin in Stade geboren. Unser Boot liegt in Plön. Blutgruppe A.", "Das Boot ist verkauft.", "Unser Boot liegt in Plön."},
		{"Der Termin beim Urologen ist am 12. März, nüchtern kommen.", "Der Termin ist auf den 20. März verschoben.", "am 12. März"},
		{"Bernd hat mich 1994 ins Krankenhaus gefahren, seitdem nehme ich kein Penicillin.", "Bernd ist tot.", nothing},
		{"Ich schulde Bernd noch fünfzig Euro.", "Bernd ist tot.", nothing},
		{"Bernd sagt, ich schulde ihm noch was.", "Bernd ist tot.", nothing},
		{"Ich habe das Rezept von Bernd.", "Bernd ist tot.", nothing},
		{"Bernds Nummer ist 4411.", "Bernd ist tot.", nothing},
		{"Im Wohnwagen haben wir uns 1999 verlobt und der Ring ist noch da.", "Der Wohnwagen ist verkauft.", nothing},
		// Spanish
		{"Ramón viene los martes a podar.", "Ramón se murió.", all},
		{"Nuestra caravana está en Gandía y soy diabética.", "Vendimos la caravana.", "Nuestra caravana está en Gandía"},
		{"Tengo dos hijas. Canto en el coro los jueves. Soy celíaca.", "Ya no voy al coro.", "Canto en el coro los jueves."},
		{"La boda es el 3 de mayo en Ronda.", "La boda se ha aplazado al 10 de junio.", "el 3 de mayo"},
		{"Ramón me llevó al hospital y tengo la cicatriz todavía.", "Ramón se murió.", nothing},
		{"Le debo a Ramón veinte euros.", "Ramón se murió.", nothing},
		{"Tengo la receta de Ramón.", "Ramón se murió.", nothing},
		{"Ramón dice que soy alérgica al látex.", "Ramón se murió.", nothing},
		{"El número de Ramón es 4411.", "Ramón se murió.", nothing},
		// Chinese
		{"老周每周二来修剪树篱。", "老周去世了。", all},
		{"我对青霉素过敏。我的钢琴放在里屋。我属马。", "钢琴卖了。", "我的钢琴放在里屋。"},
		{"我的船停在太湖边，我不会游泳。", "船卖了。", "我的船停在太湖边"},
		{"婚礼定在5月3日。", "婚礼改到6月10日。", "5月3日"},
		{"1988年我青霉素过敏，是老周开车送我去医院的。", "老周去世了。", nothing},
		{"我欠老周五十块钱。", "老周去世了。", nothing},
		{"老周说我是O型血。", "老周去世了。", nothing},
		{"老周的电话是4411。", "老周去世了。", nothing},
		{"这个方子是老周给我的。", "老周去世了。", nothing},
	} {
		ended, got := said.AddDate(0, 0, 5), nothing
		for _, e := range Endings(c.later) {
			if part, ends := e.Part(c.old, said, ended); ends {
				got = part
			}
		}
		assert.Equal(t, c.part, got, "%s %s", c.old, c.later)
	}
}

func TestOutlives(t *testing.T) {
	for _, c := range []struct {
		old, later, thing string
		outlives          bool
	}{
		{"I owe Pat fifty quid.", "Pat died.", "pat", true},
		{"i owe pat fifty quid", "pat died", "pat", true},
		{"Le debo veinte euros a Ligia.", "se murió Ligia", "ligia", true},
		{"Bernd hat mir das Rad geliehen.", "Bernd ist gestorben.", "bernd", true},
		{"Pat comes on Tuesdays.", "Pat died.", "pat", false},
		{"Ligia viene los martes.", "se murió Ligia", "ligia", false},
		{"Our dog sleeps in the kitchen.", "The dog died.", "dog", false},
		{"I owe Pat fifty quid.", "Pat moved to Friday.", "pat", false},
	} {
		assert.Equal(t, c.outlives, Outlives(c.old, c.later, []string{c.thing}), "%s %s", c.old, c.later)
	}
}

func TestMoves(t *testing.T) {
	for _, s := range []string{
		"theyve moved it to the 20th", "They've moved it to the 20th now.", "The scan got pushed back to Thursday.", "Rescheduled for next Friday.", "hospital rang, its moved to the 20th",
		"Termin verschoben auf Freitag", "Der Termin ist auf den 20. März verlegt.", "Haben sie auf Montag vorgezogen.",
		"lo pasaron pa'l jueves", "Me cambiaron la cita para el lunes.", "La movieron al 20 de marzo.", "Se aplazó hasta el jueves.",
		"改到周五", "复查推迟到20号", "体检改在下周三",
	} {
		assert.True(t, Moves(s), s)
	}
	for _, s := range []string{
		"I moved to Leeds in May.", "I changed to decaf on Monday.", "I've switched to nights.", "We pushed the wardrobe to the wall.", "I work at Allegro now.",
		"Ich bin im Mai nach Bonn gezogen.", "Das Regal ist verschoben.", "Me cambié a Telmex en mayo.", "Pasamos a Colima el jueves.", "我改吃素了", "我换到新公司了",
	} {
		assert.False(t, Moves(s), s)
	}
}
