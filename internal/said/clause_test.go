package said

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

// assertClaims checks the claims of messages, which are written as in claimCases.
func assertClaims(t *testing.T, cases string) {
	t.Helper()
	for line := range strings.Lines(cases) {
		message, want, _ := strings.Cut(strings.TrimSpace(line), "=>")
		if message == "" {
			continue
		}
		var got []string
		for _, c := range Claims(strings.TrimSpace(message), 0) {
			got = append(got, mark(c))
		}
		assert.Equal(t, strings.TrimSpace(want), strings.Join(got, " ; "), message)
	}
}

func TestOpenersDoNotBlock(t *testing.T) {
	assertClaims(t, `
guess what, we moved to Graz => I | lives_in | Graz * !
I should mention that I'm diabetic => I | has_condition | diabetic
Maybe I should mention I'm allergic to latex. => I | allergic_to | latex
You should know if I'm vegan.
considering moving to Leeds
Ich wollte nur sagen: ich bin nach Bonn gezogen. => I | lives_in | Bonn * !
por si acaso, soy celíaca => I | has_condition | celíaca
si vivo en Lugo, es por mi madre
跟你说一下，我搬到大连了 => I | lives_in | 大连 * !
我想告诉你我对芒果过敏 => I | allergic_to | 芒果
告诉你，我可能要搬到上海
你知道我住在哪吗
`)
}

func TestClausesWithoutSubject(t *testing.T) {
	assertClaims(t, `
My nephew is coming for dinner, allergic to eggs => my nephew | allergic_to | eggs
My sister is doing great, moved to Leeds last month => my sister | lives_in | Leeds * !
my wife is a nurse, works at Guy's => my spouse | works_as | nurse * ; my spouse | works_at | Guy's *
I'm cooking for a friend, allergic to nuts
need a recipe for my neighbour, allergic to soy
Ned is over the moon, moved to Leeds
She has had enough, quit smoking
my sister lives in York, love cats => my sister | lives_in | York *
I'm a dentist, allergic to latex => I | works_as | dentist * ; I | allergic_to | latex
I had a word with my boss, quit my job => I | works_at |  ~ !
Our dog died, adopted a cat => I | dog |  ~ ! ; I | has_pet | cat !
Busy month, sold the car => I | car |  ~ !
Meine Tante ist zufrieden, wohnt in Wels. => my aunt | lives_in | Wels *
Mein Chef ist krank, habe frei.
mein Bruder wohnt in Ulm, arbeite bei Bosch => my brother | lives_in | Ulm * ; I | works_at | Bosch *
Mi sobrino viene a cenar, es alérgico al huevo. => my nephew | allergic_to | huevo
mi tía vive en Lugo, vivo en León => my aunt | lives_in | Lugo * ; I | lives_in | León *
Mi médico ha cambiado, ahora es la doctora Ferrer.
朋友海鲜过敏，推荐个餐厅
客人芒果过敏
我同事花生过敏 => my colleague | allergic_to | 花生
带朋友去吃饭，花生过敏
邻居的车卖了
海鲜过敏，推荐个餐厅 => I | allergic_to | 海鲜
我女儿小名叫朵朵，今年五岁 => I | daughter | 朵朵 ; my daughter | age | 五 *
i am from Brazil and my english is not so good, you can correct me when i make mistake? => I | from | Brazil *
Mein Lieblingsbuch ist immer noch Momo, gibts was Ähnliches für Erwachsene? => I | favourite_book | Momo *
I live in Oslo, right?
车卖了 => I | car |  ~ !
`)
}

func TestPronounsAgree(t *testing.T) {
	assertClaims(t, `
My daughter has a boyfriend now, he works at Tesco
My mum met the new doctor. He lives in Bath.
My brother got a puppy. He is called Rex. => my brother | has_pet | puppy
My aunt has a sister. She lives in Leeds. => my aunt | has_family | sister
My aunt has a son. She lives in Leeds. => my aunt | has_family | son ; my aunt | lives_in | Leeds *
My uncle is a doctor. He lives in Bath. => my uncle | works_as | doctor * ; my uncle | lives_in | Bath *
My cousin is here. He is vegan. => my cousin | diet | vegan *
My partner is nice. They live in Cork. => my partner | lives_in | Cork *
Our cat is old. She is allergic to fish. => my cat | allergic_to | fish
Meine Nichte hat einen Freund, er arbeitet bei Bosch.
Meine Chefin ist streng. Sie wohnt in Ulm. => my boss | lives_in | Ulm *
meine Mutter hat einen neuen Freund, er heißt Egon
Mi hija tiene novio, él trabaja en Lidl.
Mi hermano está aquí. Él es vegano. => my brother | diet | vegano *
我女儿有男朋友了，他在腾讯上班
我妹妹住在罗马，她喜欢歌剧 => my sister | lives_in | 罗马 * ; my sister | likes | 歌剧
`)
}

func TestGermanVerbsAtTheEnd(t *testing.T) {
	assertClaims(t, `
Ich suche ein Rezept, weil ich vegan bin. => I | diet | vegan *
Was kann ich kochen, da ich kein Schwein esse? => I | cannot_eat | Schwein
wir brauchen tipps weil wir in linz wohnen => I | lives_in | linz *
Ich suche ein Büro, weil ich bei Bosch arbeite und in Ulm wohne. => I | works_at | Bosch * ; I | lives_in | Ulm *
Ich frage, weil meine Frau vegan ist und ich keinen Fisch esse. => my spouse | diet | vegan * ; I | cannot_eat | Fisch
Nachdem ich nach Jena gezogen bin, suche ich einen Zahnarzt. => I | lives_in | Jena * !
Mein Sohn kommt auch, weil er vegan ist. => my son | diet | vegan *
Wichtig ist, dass ich gegen Erdnüsse allergisch bin. => I | allergic_to | Erdnüsse
Du solltest wissen, dass wir zwei Kinder haben. => I | has_family | Kinder
Alle denken, dass ich vegan bin.
Er sagt, dass er nett ist und dass ich vegan bin.
Kann es sein, dass ich gegen Nüsse allergisch bin?
Ich koche wenig, weil ich faul bin und keine Lust habe.
Das geht nicht, weil ich heute kein Fleisch esse.
Ich würde dort einkaufen, wenn ich in Köln wohne.
Er freut sich, weil ich jeden Tag gegossen habe.
`)
}

func TestCapitalsOfPhones(t *testing.T) {
	assertClaims(t, `
im 34 and live in leeds => I | age | 34 * ; I | lives_in | leeds *
tengo 2 hijas y vivo en lugo => I | lives_in | lugo *
ich arbeite seit 2 jahren bei bosch => I | works_at | bosch *
my landlord is greg and his flat is on 38th street => I | landlord | greg *
Hi i work at lidl => I | works_at | lidl *
My name is anna. => I | name | anna *
My name is hard to spell.
Our dog is called rex. => I | dog | rex
My wife is called anna. => I | spouse | anna *
My boss is called in.
Me llamo ana. => I | name | ana *
Me llamo así por mi abuela.
Ich heiße anna. => I | name | anna *
Ich wohne in hamburg. => I | lives_in | hamburg *
I live in germany. => I | lives_in | germany *
Soy de españa. => I | from | españa *
We live in fear.
I work at night.
Call me anytime.
My boss is asleep.
`)
}
