package extension

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/extension/transfer"
	"github.com/ebbmem/ebb/schema"
)

// A request whose object is only a pronoun means what the rest of its message names.
func TestForgetOfWhatStandsBesideIt(t *testing.T) {
	for _, c := range []struct{ meant, ask, gone string }{
		{"Sameer lent his brother Nikhil 6,000 dollars and told nobody.", "What the brothers arranged about the money, the loan: it is settled. Forget that I brought it up.", "Nikhil dollars"},
		{"Ich hab meinem Bruder 6000 Euro geliehen, meine Frau weiß nichts davon.", "Das mit dem Bruder und dem geliehenen Geld ist geklärt. Lösch das.", "Bruder Euro"},
		{"Le presté 6000 pesos a mi hermano y nadie lo sabe.", "lo q te conté de mi hermano y el dinero prestado... bórralo", "hermano pesos"},
	} {
		l := newDiary(t)
		l.says("I take the 42 bus to work.")
		l.says(c.meant)
		l.says("We have two cats.")
		l.says(c.ask)
		require.NoError(t, l.x.WaitIdle(t.Context()))
		require.False(t, found(t, l.x, c.gone), c.ask)
		require.True(t, found(t, l.x, "42 bus"), c.ask)
		require.True(t, found(t, l.x, "cats"), c.ask)
	}
}

// A request that lists names means what was said of each, in whichever message.
func TestForgetOfSeveralNames(t *testing.T) {
	for _, c := range []struct{ first, second, ask, answer, stays string }{
		{"My brother Tom is in prison.", "Anna lost her job at the bakery.", "forget what I said about Tom and Anna", "", ""},
		{"My brother Tom is in prison.", "Anna lost her job at the bakery.", "please delete everything about tom and anna", "", ""},
		{"My brother Tom is in prison.", "Anna lost her job at the bakery.", "forget Tom and Anna", "Done, I have forgotten Tom and Anna.", ""},
		{"Mein Bruder Tom sitzt im Gefängnis.", "Anna hat ihre Stelle verloren.", "Vergiss alles über Tom und Anna.", "", ""},
		{"Mi hermano Tomás está en la cárcel.", "Anna perdió su trabajo.", "Olvida lo que te dije de Tomás y Anna", "", ""},
		{"I hate Marks and Spencer.", "My friend Spencer is ill.", "Forget what I said about Marks and Spencer", "", "My friend Spencer is ill."},
	} {
		l := newDiary(t)
		for _, message := range []string{c.first, c.second, "We have two cats."} {
			l.says(message)
		}
		l.publish(c.ask)
		if c.answer != "" {
			require.NoError(t, l.x.Bus().Publish(t.Context(), eventbus.AgentResponse(dora, c.answer)))
			require.NoError(t, l.x.WaitIdle(t.Context()))
		}
		records, err := l.x.Timeline(t.Context(), dora, TimelineQuery{Limit: 100})
		require.NoError(t, err)
		var left []string
		for _, r := range records {
			left = append(left, r.Content)
		}
		require.NotContains(t, left, c.first, c.ask)
		require.Contains(t, left, "We have two cats.", c.ask)
		require.Equal(t, c.stays != "", slices.Contains(left, c.second), c.ask)
		waiting, err := l.x.Proposals(t.Context(), dora)
		require.NoError(t, err)
		require.Empty(t, waiting, c.ask)
	}
}

// About software, "forget the thing about …" is a request if one statement alone holds its words, and
// else waits for a sign; an order of work is none.
func TestForgetOfOneThingAboutSoftware(t *testing.T) {
	const fish, other = "I use the fish shell with starship.", "The CI image has no fish shell."
	for _, c := range []struct {
		says   []string
		ask    string
		forgot bool
		waits  int
	}{
		{[]string{fish, "We have two cats."}, "forget the thing about the fish shell", true, 0},
		{[]string{fish, "I like fish for dinner."}, "please forget the fish shell thing", true, 0},
		{[]string{fish, "We have two cats."}, "Vergiss die Sache mit der fish Shell.", true, 0},
		{[]string{fish, other}, "forget the thing about the fish shell", false, 1},
		{[]string{"I use fish everywhere.", "We have two cats."}, "forget the thing about the fish shell", false, 1},
		{[]string{fish, "We have two cats."}, "Forget the fish shell, run it with bash.", false, 0},
	} {
		l := newDiary(t)
		for _, message := range c.says {
			l.says(message)
		}
		l.publish(c.ask)
		records, err := l.x.Timeline(t.Context(), dora, TimelineQuery{Limit: 100})
		require.NoError(t, err)
		holds := func(message string) bool {
			return slices.ContainsFunc(records, func(r Record) bool { return r.Content == message })
		}
		require.Equal(t, !c.forgot, holds(c.says[0]), c.ask)
		require.True(t, holds(c.says[1]), c.ask)
		waiting, err := l.x.Proposals(t.Context(), dora)
		require.NoError(t, err)
		require.Len(t, waiting, c.waits, c.ask)
	}
}

// "Forget the milk." after the assistant has taken milk off a list is of the list: what the user said of
// milk elsewhere stays, also if the assistant says that it is done.
func TestForgetOfWhatStandsOnAList(t *testing.T) {
	for _, c := range []struct {
		said, answer, ask string
		forgot            bool
	}{
		{"I drink my coffee with oat milk.", "Removed milk from the shopping list.", "Forget the milk.", false},
		{"I'm allergic to milk.", "Added eggs. I removed milk from the shopping list.", "Forget about the milk.", false},
		{"Ich vertrage keine Milch.", "Milch habe ich von der Einkaufsliste entfernt.", "Vergiss die Milch.", false},
		{"Soy alérgica a la leche.", "Quité la leche de la lista de la compra.", "Olvida la leche.", false},
		{"我对牛奶过敏。", "已从购物清单里删除牛奶。", "忘掉牛奶", false},
		{"My dentist wants 3,000 for the crown.", "I have deleted the reminder for the dentist.", "Forget the dentist.", false},
		{"I drink my coffee with oat milk.", "Removed milk from the shopping list.", "Forget what I said about oat milk.", true},
		{"I'm allergic to milk.", "Removed milk from the shopping list.", "Forget that I am allergic to milk.", true},
		{"I drink my coffee with oat milk.", "Oat milk is a fine choice.", "Forget the milk.", true},
	} {
		l := newDiary(t)
		l.says(c.said)
		l.says("We have two cats.")
		l.says("Update the list, please.")
		publish := func(e eventbus.Event) {
			require.NoError(t, l.x.Bus().Publish(t.Context(), e))
			require.NoError(t, l.x.WaitIdle(t.Context()))
		}
		publish(eventbus.AgentResponse(dora, c.answer))
		l.now.Set(l.now.Now().Add(time.Minute))
		l.publish(c.ask)
		if !c.forgot {
			l.now.Set(l.now.Now().Add(time.Minute))
			publish(eventbus.AgentResponse(dora, "Done, I have forgotten it."))
		}
		records, err := l.x.Timeline(t.Context(), dora, TimelineQuery{Limit: 100})
		require.NoError(t, err)
		require.Equal(t, !c.forgot, slices.ContainsFunc(records, func(r Record) bool { return r.Content == c.said }), c.ask+" "+c.said)
		require.True(t, slices.ContainsFunc(records, func(r Record) bool { return r.Content == "We have two cats." }), c.ask)
	}
}

// Of two things that a request may mean, it means the one said at the time that it names.
func TestForgetOfNamedTime(t *testing.T) {
	for ask, stays := range map[string]string{
		"Please delete the application that I told you about in March.": "payroll",
		"Please delete the application that I told you about in May.":   "hospital",
	} {
		l := newDiary(t)
		l.says("I secretly sent an application to the hospital.") // 3 March
		l.says("We have two cats.")
		l.now.Set(time.Date(2026, 5, 12, 9, 0, 0, 0, time.UTC))
		l.publish("I secretly sent an application to the payroll office.")
		l.now.Set(time.Date(2026, 7, 1, 9, 0, 0, 0, time.UTC))
		l.publish(ask)
		require.NoError(t, l.x.WaitIdle(t.Context()))
		require.True(t, found(t, l.x, stays), ask)
		for _, one := range []string{"payroll", "hospital"} {
			require.Equal(t, one == stays, found(t, l.x, one), ask)
		}
	}
}

// An answer that says that it was done confirms the clearest clause of a message.
func TestAnswerConfirmsClause(t *testing.T) {
	l := newDiary(t)
	l.says("老贺不晓得,我余额宝里头有笔私房钱三万六")
	l.says("我不吃香菜")
	l.publish("跟老贺坦白了我藏的那笔私房钱,他笑得要死,说他也有。所以你这头就别存了,都清了")
	require.True(t, found(t, l.x, "私房钱三万六"), "nobody has said that it is done")
	require.NoError(t, l.x.Bus().Publish(t.Context(), eventbus.AgentResponse(dora, "清了,两位扯平。")))
	require.NoError(t, l.x.WaitIdle(t.Context()))
	require.False(t, found(t, l.x, "私房钱三万六"))
	require.True(t, found(t, l.x, "香菜"))
}

// The answer to a request that was carried out confirms no message before it.
func TestAnswerConfirmsOnlyWhatItAnswers(t *testing.T) {
	l := newDiary(t)
	const wish = "no me mandes ligas de internet, en la compu del hospital no abre nada. dime tu la info y ya"
	l.says(wish)
	l.says("Mi perro se llama Bo.")
	l.says("Olvida lo que te dije de mi perro.")
	l.says("Borra eso.")
	require.NoError(t, l.x.Bus().Publish(t.Context(), eventbus.AgentResponse(dora, "Borrado.")))
	require.NoError(t, l.x.WaitIdle(t.Context()))
	require.False(t, found(t, l.x, "perro Bo"))
	require.True(t, found(t, l.x, "ligas internet"))
}

// Whichever message of a request's candidates an agent chooses, what it saved from that message
// goes with it, also in other words and set aside, and what else it saved then stays.
func TestForgetTakesWhatWasSavedFromIt(t *testing.T) {
	for _, untrusted := range []bool{false, true} {
		l := newDiary(t)
		l.says("Our gym is open until nine. I've started with a counsellor, Maeve, of a Tuesday at one, it's about the panic.")
		if untrusted {
			require.NoError(t, l.x.Bus().Publish(t.Context(), eventbus.ToolResult(dora, "web", "Counsellors in Galway.")))
		}
		l.tool("remember_fact", map[string]any{"content": "Dora sees Maeve on Tuesdays because of panic."})
		l.tool("remember_fact", map[string]any{"content": "The ferry leaves from Rossaveel."})
		l.says("We have two cats.")
		l.publish("The counselling. I've finished up with her, it did me good, but I don't want it sitting in you. Delete all of that for me")
		records, err := l.x.Timeline(t.Context(), dora, TimelineQuery{Kinds: []Kind{KindEpisode}, Limit: 100})
		require.NoError(t, err)
		for _, r := range records {
			if strings.Contains(r.Content, "counsellor") {
				require.Contains(t, l.tool("forget_memory", map[string]any{"memory_id": r.UID}), "Forgotten")
			}
		}
		records, err = l.x.Timeline(t.Context(), dora, TimelineQuery{Limit: 100})
		require.NoError(t, err)
		known := func(text string) bool {
			return slices.ContainsFunc(records, func(r Record) bool { return strings.Contains(r.Content, text) && r.State != schema.StateForgotten })
		}
		require.False(t, known("Maeve"), "untrusted: %t", untrusted)
		require.True(t, known("Rossaveel"))
		require.True(t, known("two cats"))
	}
}

// What an agent saved from a message of which nothing stays goes with it, if it has one word of it.
func TestForgetTakesWhatHasOneWordOfIt(t *testing.T) {
	l := newDiary(t)
	l.says("scale says 184. scale can go to hell")
	l.tool("remember_fact", map[string]any{"content": "Dora weighed in at 184 lb in the spring."})
	l.tool("remember_fact", map[string]any{"content": "The ferry leaves from Rossaveel."})
	l.says("We have two cats.")
	l.publish("Please forget what the scale said.")
	known := func(text string) (is *Record) {
		records, err := l.x.Timeline(t.Context(), dora, TimelineQuery{Limit: 100})
		require.NoError(t, err)
		for i := range records {
			if strings.Contains(records[i].Content, text) && records[i].State != schema.StateForgotten {
				is = &records[i]
			}
		}
		return is
	}
	if message := known("scale says"); message != nil {
		require.Contains(t, l.tool("forget_memory", map[string]any{"memory_id": message.UID}), "Forgotten")
	}
	require.Nil(t, known("184"))
	require.NotNil(t, known("Rossaveel"))
	require.NotNil(t, known("two cats"))
}

// What stands in the message beside what is to be forgotten stays, as what was parsed from it, as
// an agent saved it and as the host stated it.
func TestForgetLeavesWhatStandsBesideIt(t *testing.T) {
	for _, c := range []struct{ said, saved, secret, ask, stays string }{
		{"I'm allergic to nuts. My brother Tom is in prison.", "Dora reacts to nuts and walnuts.", "Dora's brother Tom sits in prison.", "Please forget that my brother Tom is in prison.", "walnuts"},
		{"Ich bin gegen Nüsse allergisch. Mein Bruder Tom sitzt im Gefängnis.", "Dora trägt wegen der Nüsse einen EpiPen.", "Doras Bruder Tom ist im Gefängnis.", "Bitte vergiss, dass mein Bruder Tom im Gefängnis sitzt.", "EpiPen"},
		{"Soy alérgica a las nueces. Mi hermano Tom está en la cárcel.", "Dora lleva un EpiPen por las nueces.", "El hermano de Dora, Tom, está en la cárcel.", "Por favor olvida que mi hermano Tom está en la cárcel.", "EpiPen"},
		{"我对坚果过敏。我哥哥在坐牢。", "朵拉对坚果和芹菜过敏。", "朵拉的哥哥在坐牢。", "请忘掉我哥哥在坐牢。", "芹菜"},
	} {
		l := newDiary(t)
		l.says(c.said)
		l.tool("remember_fact", map[string]any{"content": c.saved})
		l.tool("remember_fact", map[string]any{"content": c.secret})
		_, err := l.x.Remember(t.Context(), dora, "Dora and Tom share a flat in prison street.")
		require.NoError(t, err)
		l.says("We have two cats.")
		l.says(c.ask)
		records, err := l.x.Timeline(t.Context(), dora, TimelineQuery{Limit: 100})
		require.NoError(t, err)
		known := func(text string) bool {
			return slices.ContainsFunc(records, func(r Record) bool { return strings.Contains(r.Content, text) && r.State != schema.StateForgotten })
		}
		require.True(t, known(c.stays), c.ask)
		require.False(t, known(c.secret), c.ask)
		require.True(t, known("prison street"), c.ask)
	}
}

// An agent that chooses a message forgets of what it saved from it only what the request means.
func TestForgetOfHalfAMessage(t *testing.T) {
	l := newDiary(t)
	const said = "my knee is bone on bone, so nothing with stairs. and between us, i lent rui two thousand and my mother must not know"
	l.says(said)
	l.tool("remember_fact", map[string]any{"content": "Dora avoids stairs because of arthritis in the knee."})
	l.tool("remember_fact", map[string]any{"content": "Dora lent Rui 2,000; her mother must not hear of it."})
	l.says("the fishmonger keeps me the small squid on fridays")
	l.publish("rui paid up. that whole business with him, out of your head please")
	records, err := l.x.Timeline(t.Context(), dora, TimelineQuery{Limit: 100})
	require.NoError(t, err)
	at := slices.IndexFunc(records, func(r Record) bool { return r.Content == said })
	require.Contains(t, l.tool("forget_memory", map[string]any{"memory_id": records[at].UID}), "Forgotten")
	records, err = l.x.Timeline(t.Context(), dora, TimelineQuery{Limit: 100})
	require.NoError(t, err)
	known := func(text string) bool {
		return slices.ContainsFunc(records, func(r Record) bool { return strings.Contains(r.Content, text) && r.State != schema.StateForgotten })
	}
	require.False(t, known("2,000"))
	require.True(t, known("arthritis in the knee"))
}

// Forgetting a message takes every claim that was parsed from it, and forgetting one claim leaves
// the others of its message.
func TestForgetByID(t *testing.T) {
	for _, said := range []string{
		"I live in Ghent. My dentist is Dr Rao.",
		"Ich wohne in Gent. Mein Zahnarzt ist Dr. Rao.",
		"Vivo en Gante. Mi dentista es la doctora Rao.",
		"我住在根特。我的牙医是拉奥医生。",
	} {
		l := newDiary(t)
		l.says(said)
		made := l.claimed()
		require.Len(t, made, 2, said)
		_, err := l.x.Forget(t.Context(), dora, made[0].UID)
		require.NoError(t, err)
		left := l.claimed()
		require.Len(t, left, 1, said)
		require.Equal(t, made[1].UID, left[0].UID)

		l.says("My locker code is 4471. " + said)
		records, err := l.x.Timeline(t.Context(), dora, TimelineQuery{Kinds: []Kind{KindEpisode}})
		require.NoError(t, err)
		_, err = l.x.Forget(t.Context(), dora, records[len(records)-1].UID)
		require.NoError(t, err)
		require.Empty(t, l.claimed(), said)
	}
}

// An agent that chooses a message forgets what was parsed from it.
func TestForgetTakesWhatWasParsedFromIt(t *testing.T) {
	l := newDiary(t)
	l.says("my knee is bone on bone, so nothing with stairs. My neighbour is Rui. and between us, i lent rui two thousand and my mother must not know")
	require.Contains(t, l.objects(), "Rui")
	records, err := l.x.Timeline(t.Context(), dora, TimelineQuery{Kinds: []Kind{KindEpisode}})
	require.NoError(t, err)
	l.says("the fishmonger keeps me the small squid on fridays")
	l.publish("rui paid up. that whole business with him, out of your head please")
	require.Contains(t, l.objects(), "Rui", "it waits for the agent")
	require.Contains(t, l.tool("forget_memory", map[string]any{"memory_id": records[0].UID}), "Forgotten")
	require.NotContains(t, l.objects(), "Rui")
}

// Forgetting what mentions an entity clears the entity's summary, which may repeat it in other
// words.
func TestForgetClearsSummaries(t *testing.T) {
	l := newDiary(t)
	l.says("Maeve is seeing a counsellor of a Tuesday.")
	var maeve *schema.Entity
	summary := func() (s string) {
		require.NoError(t, l.x.db.Read(t.Context(), func(ctx context.Context, snap *schema.Snapshot) error {
			e, err := snap.Entity(ctx, maeve.UserID, maeve.UID)
			if err == nil {
				s = e.Summary
			}
			return err
		}))
		return s
	}
	records, err := l.x.Timeline(t.Context(), dora, TimelineQuery{Kinds: []Kind{KindEpisode}})
	require.NoError(t, err)
	require.NoError(t, l.x.db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) (err error) {
		if maeve, err = tx.CreateEntity(ctx, records[0].UserID, schema.EntityPerson, "Maeve Byrne", 1); err != nil {
			return err
		}
		if err := tx.LinkEntity(ctx, records[0].ID, maeve.ID, "Maeve", 1); err != nil {
			return err
		}
		return tx.Summarise(ctx, maeve, "In therapy once a week.", schema.Actor{Name: "night"})
	}))
	f, err := l.x.Forget(t.Context(), dora, records[0].UID)
	require.NoError(t, err)
	require.Empty(t, summary())
	_, err = l.x.Undo(t.Context(), dora, f.RunID)
	require.NoError(t, err)
	require.Equal(t, "In therapy once a week.", summary())
}

// A request means nothing that was said after it, in a history that is imported as in one that
// is imported after what was said since.
func TestForgetLeavesWhatWasSaidAfterIt(t *testing.T) {
	at := func(i int) time.Time { return time.Date(2025, time.Month(i+1), 1, 9, 0, 0, 0, time.UTC) }
	for _, said := range [][]string{ // before, the request, and since
		{"My ex Gemma keeps texting me", "Please forget what I said about Gemma", "Gemma is godmother to my son Ravi now, we're on good terms", "Gemma and I are opening a café in Hove, it's called Nib"},
		{"I'm thinking of buying a horse, Luna", "Please forget everything I told you about Luna", "Luna the cat moved in with us, she is diabetic"},
		{"Ich hab Streit mit Jana", "Vergiss bitte, was ich über Jana gesagt habe", "Jana zieht im Juni bei mir ein", "Meine Freundin heißt Jana"},
		{"Estoy peleado con Marta", "Olvida lo que dije de Marta", "Marta se muda conmigo en junio"},
		{"我跟小李吵架了", "忘掉我说过的关于小李的事", "小李是我现在最好的朋友"},
		{"I live in Leeds.", "Please forget that I live in Leeds.", "I live in Leeds."},
	} {
		for _, live := range []bool{false, true} { // what was said since is here already
			l := newDiary(t)
			var file strings.Builder
			for i, s := range said {
				if live && i > 1 {
					l.publish(s, eventbus.At(at(i)))
					continue
				}
				require.NoError(t, json.NewEncoder(&file).Encode(map[string]string{"id": strconv.Itoa(i), "time": at(i).Format(time.RFC3339), "session": strconv.Itoa(i), "text": s}))
			}
			_, err := l.x.Import(t.Context(), strings.NewReader(file.String()), transfer.ImportOptions{Scope: Scope{User: dora.User}, Origin: schema.OriginUser})
			require.NoError(t, err)
			require.NoError(t, l.x.WaitIdle(t.Context()))
			all, err := l.x.Timeline(t.Context(), Scope{User: dora.User}, TimelineQuery{Forgotten: true})
			require.NoError(t, err)
			episodes := 0
			for _, m := range all {
				if m.Kind == KindEpisode {
					episodes++
				}
				if since := !m.EventTime.Before(at(2)); since || m.Kind == KindEpisode {
					require.Equal(t, since, m.State != schema.StateForgotten, "live %v: %s", live, m.Content)
				}
			}
			require.Len(t, said, episodes)
		}
	}
}

// A model chooses among messages, not among sentences that say nothing by themselves, and what it
// chooses is hidden with the message although it chose what an agent had saved of it.
func TestForgetOffersWholeMessages(t *testing.T) {
	const secret = "My sister hates our doctor. She has been selling his prescriptions to Elvira at night, for cash."
	l := newDiary(t)
	l.says(secret)
	l.says("We have two cats.")
	l.publish("My sister and the doctor have made up. Take back what I said of that.")
	offered := l.tool("forget_memory", map[string]any{"query": "my sister and the doctor"})
	require.Contains(t, offered, secret)
	require.Equal(t, 1, strings.Count(offered, "My sister hates"), offered)
}

func TestForgetOfWhatAnAgentSavedTakesTheMessage(t *testing.T) {
	const message, saved = "Mama muss zur Biopsie, da is was links. Ich soll die Starke sein.", "Doras Mutter hat eine Biopsie; Selin soll nichts davon wissen."
	l := newDiary(t)
	l.says(message)
	l.now.Set(l.now.Now().Add(5 * time.Second))
	require.Contains(t, l.tool("remember_fact", map[string]any{"content": saved}), "m")
	l.says("Wir haben zwei Katzen.")
	l.publish("lösch bitte was ich dir von dem arztkram bei der mama erzählt hab")
	l.chooses(saved)
	records, err := l.x.Timeline(t.Context(), dora, TimelineQuery{Limit: 100})
	require.NoError(t, err)
	for _, r := range records {
		require.NotContains(t, r.Content, "Biopsie")
	}
	require.True(t, slices.ContainsFunc(records, func(r Record) bool { return r.Content == "Wir haben zwei Katzen." }))
}

// A request that names the user's own thing is one, also of software; one of two people means both; Chinese
// names are listed and excepted as others are.
func TestForgetOfClausesAndLists(t *testing.T) {
	for _, c := range []struct {
		says  []string
		ask   string
		stays []string
	}{
		{[]string{"Tom is drinking again.", "Anna is in debt.", "We have two cats."}, "Forget that Tom is drinking and Anna is in debt.", []string{"We have two cats."}},
		{[]string{"小李被公司开除了。", "老王欠了很多钱。", "阿梅怀孕了。", "我养了两只猫。"}, "把小李、老王和阿梅的事都忘了吧", []string{"我养了两只猫。"}},
	} {
		l := newDiary(t)
		for _, message := range c.says {
			l.says(message)
		}
		l.publish(c.ask)
		require.NoError(t, l.x.WaitIdle(t.Context()))
		records, err := l.x.Timeline(t.Context(), dora, TimelineQuery{Kinds: []Kind{KindEpisode}, Limit: 100})
		require.NoError(t, err)
		var stays []string
		for _, r := range records {
			stays = append(stays, r.Content)
		}
		require.ElementsMatch(t, c.stays, stays, c.ask)
	}
}
