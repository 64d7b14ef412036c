package grounding

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestChanged(t *testing.T) {
	for _, c := range []struct{ text, thing string }{
		{"jacked in the choir, they only do hymns", "choir"},
		{"binned off weightwatchers last wk", "weightwatch"},
		{"finished w dom", "dom"},
		{"well the weddings off n nobody is talking", "wed"},
		{"gran mary passed away on sunday", "gran mari"},
		{"docs swapped my inhaler for a purple one", "inhal"},
		{"moved polperro to august", "polperro"},
		{"landlords put the rent up to 700", "rent"},
		{"been off the naproxen 3 wks", "naproxen"},
		{"we dont need docker any more", "docker"},

		{"bisoprolol is abgesetzt, krieg jetz was anderes", "bisoprolol"},
		{"der passat is verkauft", "passat"},
		{"mit yoga is schluss", "yoga"},
		{"hab die zeitung gekündigt", "zeitung"},
		{"bin vom telekom weg", "telekom"},
		{"insulin jetz auf 20 einheiten", "insulin"},
		{"die singstunde is jetz freitags", "singstund"},
		{"der waldi is heut gestorben", "waldi"},
		{"hat dat simvastatin halbiert", "simvastatin"},
		{"keine milch mehr für mich", "milch"},

		{"se murio don Ramiro, el de los martes", "don ramiro"},
		{"deje el cigarrillo", "cigarrillo"},
		{"vendi la camioneta a un primo", "camioneta"},
		{"se acabo la terapia", "terapia"},
		{"me subieron el enalapril a 20", "enalapril"},
		{"me sali de la cooperativa", "cooperativa"},
		{"viaje a Cartagena cancelado", "cartagena"},
		{"le quitaron la aspirina a mi papa", "aspirina"},
		{"cambiaron la reunion para el jueves", ""}, // any meeting
		{"el arriendo ahora cuesta 900 mil", "arriendo"},

		{"瑜伽卡到期了 不续了", "瑜伽"},
		{"布洛芬可以停了", "布洛芬"},
		{"把烟戒了", ""}, // one character names too much
		{"例会改到周四下午", "例会"},
		{"二甲双胍加到两片", "二甲双胍"},
		{"腾讯会员我退订了", ""}, // whose it is stands between
		{"德语不学了", "德语"},
		{"房租涨到6000", "房租"},
		{"豆豆去世了", "豆豆"},
		{"停了阿司匹林", "阿司匹林"},
	} {
		held := false
		for _, thing := range Changed(c.text) {
			held = held || strings.Join(thing, " ") == c.thing || hasHan(c.thing) && strings.HasPrefix(c.thing, thing[0][:3])
		}
		assert.Equal(t, c.thing != "", held, "%s: %v", c.text, Changed(c.text))
	}
}

func TestChangedNot(t *testing.T) {
	for _, s := range []string{
		"the choir meets on thursdays", "leroy is off sick today", "kicked off at 3", "butter went up again", "gran mary is 84",
		"we need docker for the tests", "did they cancel the choir?", "three weeks off", "the forklift driver sold his car", "the ta canceled lab", "merged the dead link fix", "put the kettle on", "i moved house in may",
		"nehm bisoprolol morgens", "der passat steht vorm haus", "geh dienstags zum yoga", "hab die zeitung gelesen", "is dat insulin abgesetzt?",
		"seit drei jahren nich mehr", "hab heute keine zeit mehr", "der waldi is heut gelaufen", "mit yoga angefangen", "statt der alten gibts jetz ne neue",
		"don Ramiro viene los martes", "compre un cigarrillo", "manejo la camioneta", "voy a terapia", "tomo enalapril de 10",
		"estoy en la cooperativa", "¿se cancelo el viaje?", "ya no aguanto mas", "el arriendo es el 5", "asi que se acabo",
		"报了瑜伽 每周二", "布洛芬一天两次", "例会在周四", "方案改了第九遍", "堵车 二十分钟挪了两百米",
		"别让我忘了换", "裁缝铺又排长队,我排了半分钟走了", "在学德语", "房租6000", "豆豆三岁了", "德语不学了吗？",
	} {
		assert.Empty(t, Changed(s), s)
	}
}

func TestFrames(t *testing.T) {
	for _, c := range []struct {
		old, later string
		replaces   bool
	}{
		{"billing-api is on Go 1.24", "billing-api is on Go 1.25 now", true},
		{"the default branch of billing-api is master", "the default branch of billing-api is main now", true},
		{"Priya owns refunds", "Li owns refunds now", true},
		{"Tom is the maintainer of the parser", "I'm the maintainer of the parser now, Tom left", true},
		{"we deploy billing on Tuesdays and Thursdays", "from now on we deploy billing on Mondays and Fridays instead", true},
		{"die Tests laufen auf Jenkins", "die Tests laufen jetzt auf Buildkite", true},
		{"Anna leitet das Lager", "Jens leitet jetzt das Lager", true},
		{"el servidor corre en Debian", "el servidor ahora corre en Alpine", true},
		{"支付组由老周负责", "支付组现在由小林负责", false}, // a value between
		{"测试环境的地址是旧机房", "测试环境的地址现在是新机房", false},
		{"测试环境部署在上海", "测试环境现在部署在北京", true},

		{"Shelf 4 is blue", "Shelf 5 is blue now", false},
		{"Tom lives in Leeds", "Mia lives in Leeds now", false},
		{"Priya owns refunds", "Li owns refunds", false},
		{"Priya owns refunds", "Li owns payouts now", false},
		{"billing-api is on Go 1.24", "ledger-api is on Go 1.25 now", false},
		{"it's mild out there and that's the update", "and yes that's the one for us from now on", false},
		{"mein Sohn spielt Geige", "meine Tochter spielt jetzt Geige", false},
		{"mi hermana vive en Lima", "mi hermano ahora vive en Quito", false},
		{"想想就心情不错", "我现在心情不错", false},
		{"we deploy billing on Tuesdays", "is billing on Go 1.25 now?", false},
	} {
		got := false
		for _, l := range FramesOf(c.later) {
			for _, o := range FramesOf(c.old) {
				got = got || l.Replaces(&o)
			}
		}
		assert.Equal(t, c.replaces, got, "%s / %s", c.old, c.later)
	}
}
