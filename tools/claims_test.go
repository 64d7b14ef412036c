package tools_test

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/internal/claims"
	"github.com/ebbmem/ebb/schema"
)

// A claim of a model's cites a message only if they have words or topics in common, and forgetting the claim hides the
// message only if that says the same.
func TestDrawnFrom(t *testing.T) {
	for _, c := range []struct {
		said, saved   string
		cited, hidden bool
	}{
		{"I keep apples in the cellar.", "The router Valdemar has to be unplugged for ten seconds", false, false},
		{"I'm allergic to peanuts, and I keep apples in the cellar.", "The router Valdemar has to be unplugged for ten seconds", false, false},
		{"I hate Mondays.", "The meeting room is on the third floor", false, false},
		{"Thanks, that helped a lot.", "Deploys run from the release branch", false, false},
		{"Can you fix the printer in my office?", "To fix the office printer: open the rear tray, then restart it", true, false},
		{"finally started at the bakery, first week done", "User works as a baker", true, false},
		{"My lover, you know, is one Valdemar from Oslo.", "Ada's lover is Valdemar", true, true},
	} {
		h := ada(t)
		turn := h.says(c.said, time.Minute)
		m := h.stored(h.call("remember_fact", `{"content": "`+c.saved+`"}`))
		require.Equal(t, c.cited, len(h.sources(m)) > 0, c.saved)
		h.write(func(ctx context.Context, tx *schema.Tx) error {
			_, err := claims.Forget(ctx, tx, m.UserID, m.UID)
			return err
		})
		require.Equal(t, schema.StateForgotten, h.memory(m.UID).State)
		require.Equal(t, c.hidden, h.memory(turn.UID).State == schema.StateForgotten, c.saved)
	}
}

// What a model saves begins as useful as all else.
func TestSavedUtility(t *testing.T) {
	h := ada(t)
	h.says("I live in Oslo.", time.Minute)
	for _, content := range []string{"Ada lives in Oslo", "The plumber charges 85 euros"} {
		require.InDelta(t, 0.5, h.stored(h.call("remember_fact", `{"content": "`+content+`"}`)).Utility, 0, content)
	}
}

// What takes the place of what was forgotten is saved once the user has said it, and what is of the
// same person or place as well.
func TestWhatReplacesTheForgottenIsSaved(t *testing.T) {
	for _, c := range []struct{ hidden, said, saved string }{
		{"I live in Bergen.", "I moved to Oslo.", "Ada lives in Oslo"},
		{"I work as a nurse.", "I am a teacher now.", "Ada works as a teacher"},
		{"My favourite colour is blue.", "I like green best.", "Ada's favourite colour is green"},
		{"Ich trinke gern Tee.", "Kaffee mag ich lieber.", "Ada trinkt gern Kaffee"},
		{"Ben is in prison.", "Benny turns 30 in May.", "Ben's birthday is in May"},
	} {
		h := ada(t)
		hidden := h.says(c.hidden, time.Minute)
		h.write(func(ctx context.Context, tx *schema.Tx) error {
			_, err := claims.Forget(ctx, tx, hidden.UserID, hidden.UID)
			return err
		})
		h.says(c.said, 0)
		answer := h.call("remember_fact", `{"content": "`+c.saved+`"}`)
		require.Regexp(t, idShape, answer, c.saved)
	}
}

// What a model tells of what the user asked to forget is not saved, until the user says it again.
func TestForgottenIsNotSaved(t *testing.T) {
	for _, c := range []struct {
		hidden, saved string
		refused       bool
	}{
		{"I have a lover called Valdemar.", "Ada loves Valdemar", true},
		{"I have a lover called Valdemar.", "The trip to the north was long, and Valdemar drove all the way with two dogs and a cat", true},
		{"I have epilepsy.", "Ada has epilepsy", true},
		{"I have epilepsy.", "Ada suffers from epilepsy since her childhood in Bergen", true},
		{"My salary is 90,000 a year.", "Ada earns a salary of 90,000", true},
		{"My brother is in prison for fraud.", "The user's brother is serving time in prison", true},
		{"Ich habe Epilepsie.", "Ada hat Epilepsie", true},
		{"Tengo epilepsia.", "Ada tiene epilepsia", true},
		{"我有癫痫。", "Ada 有癫痫", true},
		{"I have a lover called Valdemar.", "Ada keeps apples in the cellar", false},
		{"I have a lover called Valdemar.", "The night train to Oslo is called Nordpil and leaves at nine in the evening", false},
		{"I have epilepsy.", "Ada has a dog", false},
		{"I hate my boss at Google.", "The user prefers Google Docs for drafts", false},
		{"I hate my boss at Google.", "The user hates their boss at Google", true},
		{"I am on Tinder secretly.", "The user uses Tinder", true},
		{"I hate my boss at Initech.", "The Initech badge has to be renewed in spring", false},
		{"Ich hasse meinen Chef bei Siemens.", "Die Waschmaschine von Siemens ist laut", false},
		{"I got fired from Siemens.", "Ada lost her job at Siemens", true},
		{"I got fired from Siemens.", "The washing machine from Siemens is loud", false},
		{"I have a second family in Lisbon.", "Ada flies to Lisbon every month", true},
		{"I have a second family in Lisbon.", "The train from Porto to Lisbon takes three hours", false},
		{"Estuve en la cárcel en Sevilla.", "Ada estuvo presa en Sevilla", true},
		{"Odio a mi jefe en Telmex.", "El recibo de Telmex llega por correo cada mes", false},
		{"I hate my boss Prakash.", "Prakash drives the third truck on Mondays", true},
		{"Our secret project is called Zanzibar.", "The release checklist for the secret garden project is done; it forgot nothing", false},
		{"I lost my bag on the tram.", "The new tram line in Oslo opens in spring with nine stops", false},
		{"I had a fight with my boss on Monday.", "The pull request of Monday fixes the retry loop of the parser", false},
		{"My brother is in prison for fraud.", "Ada prefers the table view in the report", false},
		{"My salary is 90,000 a year.", "The budget of the garden is small this year", false},
		{"Ada told me about the clinic.", "Ada likes green tea in the morning", false}, // her own name tells nothing
	} {
		h := ada(t)
		h.says("I like the cellar.", time.Hour)
		hidden := h.says(c.hidden, time.Minute)
		h.write(func(ctx context.Context, tx *schema.Tx) error {
			_, err := claims.Forget(ctx, tx, hidden.UserID, hidden.UID)
			return err
		})
		answer := h.call("remember_fact", `{"content": "`+c.saved+`"}`)
		require.Equal(t, c.refused, !idShape.MatchString(answer), "%s: %s", c.saved, answer)
		if c.refused {
			h.says(c.hidden, 0)
			require.Regexp(t, idShape, h.call("remember_fact", `{"content": "`+c.saved+`"}`))
		}
	}
}
