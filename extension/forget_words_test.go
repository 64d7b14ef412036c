package extension

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/schema"
)

// remains returns the user's messages and facts that are not hidden, and how many proposals wait.
func (l *diary) remains() (texts []string, proposals int) {
	l.t.Helper()
	all, err := l.x.Timeline(l.t.Context(), dora, TimelineQuery{Limit: 100})
	require.NoError(l.t, err)
	for i := range all {
		if all[i].Role != "assistant" {
			texts = append(texts, all[i].Content)
		}
	}
	waiting, err := l.x.Proposals(l.t.Context(), dora)
	require.NoError(l.t, err)
	return texts, len(waiting)
}

// What a request gives as its reason, and how it calls the agent, do not say what is to be forgotten.
func TestOnlyTheObjectIsForgotten(t *testing.T) {
	for _, c := range []struct{ kept, secret, request string }{
		{"Dr Pemberton wants me off sumatriptan.", "I smoke two cigarettes a day in the garden.", "Forget the thing about the cigarettes, Dr Pemberton doesn't need to know."},
		{"Dr Halloran wants me on losartan 50 mg.", "Aoife is on Ozempic since March.", "Forget the thing about Aoife's Ozempic, Dr Halloran shouldn't know."},
		{"Dr Pemberton wants me off sumatriptan.", "I smoke two cigarettes a day in the garden.", "Dr Pemberton must not know I smoke, forget that."},
		{"ich nehme abends das Marcumar nach Plan der Doktor Wiesner weiß Bescheid", "mein Bruder der Alfons hat Parkinson", "vergiss das mit dem Alfons der will nicht dass das einer weiß"},
		{"Frau Doktor Wiesner hat mir Marcumar verschrieben.", "Ich rauche heimlich im Garten.", "Vergiss das mit dem Rauchen, Frau Doktor Wiesner muss das nicht wissen."},
		{"El doctor Ruiz me cambió el losartán.", "Mi hermana apuesta dinero por internet.", "Olvida lo de mi hermana, el doctor Ruiz no tiene que saberlo."},
		{"王医生让我停药了。", "我每天偷偷抽两根烟。", "忘掉我抽烟的事，王医生不用知道。"},
		{"I live in Leeds.", "My nephew Carl is in prison.", "Forget what I said about Carl, nobody is supposed to know."},
		{"I live in Leeds.", "mein Nachbar der Klaus trinkt zu viel", "bitte vergiss das mit dem Klaus das soll keiner wissen"},
		{"I live in Leeds.", "My dog is called Waffle.", "planner, forget that my dog is called Waffle"},
		{"I live in Leeds.", "Dana's birthday is 4 May.", "Forget Dana's birthday"},
		{"I live in Leeds.", "Ben's phone is 555-0182.", "Forget Ben's number, he changed it."},
		{"I live in Leeds.", "I had an abortion when I was nineteen.", "Forget anything I wrote about the abortion."},
	} {
		l := newDiary(t)
		l.says(c.kept)
		l.says(c.secret)
		l.says(c.request)
		texts, proposals := l.remains()
		require.Contains(t, texts, c.kept, c.request)
		require.NotContains(t, texts, c.secret, c.request)
		require.NotContains(t, texts, c.request)
		require.Zero(t, proposals, c.request)
	}
}

// What asks to forget something that is not clear, or that may not be a request, waits, and is no fact.
func TestOrdersToForgetWait(t *testing.T) {
	for _, c := range []struct{ told, request string }{
		{"Dana has a cat.", "Forget Dana's birthday"},
		{"Dana's birthday is 4 May.", "Forget what Dana said about the garden."},
		{"Dana says the on-call rota starts Monday.", "forget Dana's on-call message"},
		{"Northgate is being sold to Halden.", "Forget Northgate."},
		{"I have a dog.", "Tom, forget the dog"},
		{"Ben's dog is called Rex.", "Forget Ben's number, he changed it."},
		{"Anna's phone is 555-0182.", "Forget Ben's number, he changed it."},
		{"My boss is Thomas Weber.", "Forget Thomas Weber."},
		{"My doctor is Klaus Weber.", "Vergiss Klaus Weber."},
		{"My daughter is called Mia.", "Forget what happened to Mia."},
		{"Meine Tochter heißt Mia.", "Vergiss, was mit Mia passiert ist."},
	} {
		l := newDiary(t)
		l.turns("u: "+c.told, "a: Noted.", "u: "+c.request, "a: Okay.")
		texts, proposals := l.remains()
		require.Contains(t, texts, c.told)
		require.Equal(t, 1, proposals, c.request)
		p, err := l.x.Profile(t.Context(), dora)
		require.NoError(t, err)
		for _, line := range p.Lines {
			require.NotContains(t, line.Text, c.request)
		}
	}
	l := newDiary(t)
	l.turns("u: Northgate is being sold to Halden.", "a: Noted.", "u: Forget Northgate.", "a: Done, I've forgotten it.")
	texts, proposals := l.remains()
	require.Empty(t, texts, "the answer confirms it")
	require.Zero(t, proposals)
	decided, err := schema.Get(t.Context(), l.x.db, func(ctx context.Context, s *schema.Snapshot) (n int, err error) {
		return n, s.Row(ctx, "SELECT count(*) FROM proposals WHERE state = 'applied'", nil, &n)
	})
	require.NoError(t, err)
	require.Equal(t, 1, decided)

	for _, answer := range []string{"Removed.", "Ok, removed milk from the list."} {
		l = newDiary(t)
		l.turns("u: I'm allergic to milk.", "a: Noted.", "u: Forget milk.", "a: "+answer)
		texts, proposals = l.remains()
		require.Contains(t, texts, "I'm allergic to milk.", "it may be another list")
		require.Equal(t, 1, proposals)
	}

	l = newDiary(t)
	l.says("I live in Leeds. Forget Northgate.")
	p, err := l.x.Profile(t.Context(), dora)
	require.NoError(t, err)
	require.Len(t, p.Lines, 1)
	require.Equal(t, "I live in Leeds.", p.Lines[0].Text)
}

// A message that only points back, right after what it means, forgets that and nothing else.
func TestPointingBackForgetsAtOnce(t *testing.T) {
	for _, c := range []struct{ kept, secret, request string }{
		{"ich wohn in witten", "hab mir ne ganze tafel schokolade reingezogen, sach dat bloß keinem", "ach vergiss wat ich grad geschrieben hab, is mir peinlich"},
		{"ich wohn in witten", "hab im handschuhfach noch nen umschlag mit 1500 euro bar liegen", "moment, vergiss den letzten satz, dat is mir zu heiß"},
		{"am letzten Tag im Urlaub wars schön", "mein Bruder sitzt im Knast", "bitte vergiss den letzten Satz"},
		{"ich wohn in witten", "mein Bruder sitzt im Knast", "das war nicht für dich, bitte wieder löschen"},
		{"i live in leeds", "ok card pin is 8830 tell me if i forget", "no wait dont save that what am i doing scrub it"},
		{"i live in leeds", "he was well fit that lad in the kebab shop i give him my snap", "omg that was meant for chan not u bin it"},
		{"vivo en cali", "don Hernan el dueño del local es un tacaño, ojala se le caiga el techo", "borre lo ultimo que dije, fue la rabia, que pena"},
		{"我住在杭州", "门锁密码换成628417了", "啊等下 刚发的那串数字你别留着 不安全"},
		{"我住在杭州", "我撞见Kevin跟财务Vivian牵手 天呐", "上一条撤回 当我啥也没看见"},
	} {
		l := newDiary(t)
		l.says(c.kept)
		l.says(c.secret)
		l.says(c.request)
		texts, proposals := l.remains()
		require.Contains(t, texts, c.kept, c.request)
		require.NotContains(t, texts, c.secret, c.request)
		require.NotContains(t, texts, c.request)
		require.Zero(t, proposals, c.request)
	}
	for _, idiom := range []string{"forget it", "vergiss es", "olvídalo", "算了", "scratch that", "streich den letzten Satz", "bin it"} {
		l := newDiary(t)
		l.says("My brother Tom is in prison.")
		l.says(idiom)
		texts, _ := l.remains()
		require.Contains(t, texts, "My brother Tom is in prison.", idiom)
	}
	l := newDiary(t)
	l.says("I live in Leeds. My brother Tom is in prison.")
	l.says("please forget my last sentence")
	texts, _ := l.remains()
	require.NotContains(t, texts, "I live in Leeds. My brother Tom is in prison.")
	require.Contains(t, texts, "I live in Leeds.", "only its last sentence is meant")
	l = newDiary(t)
	l.says("schreib mir n gedicht über den herbst")
	l.says("nee lösch das")
	texts, _ = l.remains()
	require.Contains(t, texts, "schreib mir n gedicht über den herbst", "a task, not a secret")
}
