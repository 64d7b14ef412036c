package said

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

// The assistant may be called by its name.
func TestRequestsWithANameBefore(t *testing.T) {
	for s, about := range map[string]string{
		"planner, forget that my dog is called Waffle": "my dog is called Waffle", "Claude, forget that I have a dog": "I have a dog", "ok planner, forget that I have a dog": "I have a dog",
		"support agent: forget that I have a dog": "I have a dog", "hey planner, please forget that I have a dog": "I have a dog", "@planner forget about my dog": "my dog",
		"planner, forget that": "", "hey planner, forget that": "", "hey Claude forget what I said about my boss": "my boss", "Claude, forget the trip to Rome": "the trip to Rome",
		"Claude, vergiss, dass ich einen Hund habe": "ich einen Hund habe", "oye Claude, olvida que tengo un perro": "tengo un perro", "小助手，忘掉我养了一只狗": "养了一只狗", "Claude，忘掉我的旧地址": "我的旧地址",
		"planner, remember that I'm vegan": "I'm vegan", "hey Claude, never forget that I'm allergic to nuts": "I'm allergic to nuts",
	} {
		if requests := Requests(s); assert.Len(t, requests, 1, s) {
			assert.False(t, requests[0].Unsure, s)
			assert.Equal(t, about, requests[0].About, s)
		}
	}
	// others may be called so, and what is no name makes it no clearer
	for _, s := range []string{
		"Tom, forget the keys.", "ok Tom, forget the dog", "ok people, forget the cake", "Honestly, forget the garden.", "Yeah, forget the cake.", "Tom: forget the party", "Look, forget the trip.",
		"Listen guys, forget the barbecue", "Ehrlich, vergiss den Garten.", "Lisbon trip, forget that", "Claude, forget it", "Claude, don't forget the milk", "planner, I forgot the trip",
	} {
		for _, q := range Requests(s) {
			assert.True(t, q.Unsure, "%s: %+v", s, q)
		}
	}
	for _, s := range []string{"planner, don't save this, but I'm leaving Tom", "@planner don't save this, but I'm leaving Tom"} {
		_, surely := Unstored(s)
		assert.True(t, surely, s)
	}
}

// What others said and what belongs to somebody is named exactly; anything else may be a request.
func TestOrdersToForget(t *testing.T) {
	for s, want := range map[string]Request{
		"Forget what Dana said about the on-call":                 {About: "Dana said about the on-call"},
		"please forget what Dana told you about the on-call rota": {About: "Dana told you about the on-call rota"},
		"vergiss was Dana über die Rota gesagt hat":               {About: "Dana über die Rota gesagt hat"},
		"olvida lo que dijo Dana de la guardia":                   {About: "dijo Dana de la guardia"},
		"Forget Dana's birthday":                                  {About: "Dana's birthday"},
		"Can you forget Dana's birthday?":                         {About: "Dana's birthday"},
		"vergiss Danas Geburtstag":                                {About: "Danas Geburtstag"},
		"forget Dana's on-call message":                           {About: "Dana's on-call", Unsure: true},
		"Forget Northgate.":                                       {About: "Northgate", Unsure: true},
		"Vergiss Berlin.":                                         {About: "Berlin", Unsure: true},
		"Olvida a Dana.":                                          {About: "Dana", Unsure: true},
		"Forget Thomas Weber.":                                    {About: "Thomas Weber", Unsure: true},
		"Vergiss Klaus Weber.":                                    {About: "Klaus Weber", Unsure: true},
	} {
		if requests := Requests(s); assert.Len(t, requests, 1, s) {
			want.Verb, want.Sentence, want.Exact = Forget, s, true
			assert.Equal(t, want, requests[0], s)
		}
	}
	requests := Requests("Northgate is off. I'm not selling. forget the whole thing with the sale")
	if assert.Len(t, requests, 1) {
		assert.Equal(t, Request{Verb: Forget, Sentence: "forget the whole thing with the sale", About: "the whole thing with the sale"}, requests[0])
	}
	for _, s := range []string{
		"Forget sugar, honey is better.", "Forget Tom's party, let's stay in.", "forget what everyone said about Lisbon, we loved it", "forget what people said about carbs", "Forget what matters, said nobody.",
		"Vergiss nicht Danas Geburtstag", "vergiss bitte nicht die Milch", "Vergiss Berlin, Hamburg ist schöner.", "I always forget Dana's birthday.", "Don't forget Dana's birthday.",
		"Did Tom forget Dana's birthday?", "Forget Dana's birthday?", "forget kubernetes", "Forget the last commit", "Forget to mention: I'm vegan.", "Olvida las llaves siempre.", "forget the whole thing, I'm tired",
	} {
		for _, q := range Requests(s) {
			assert.True(t, q.Loose && q.Unsure || q.Verb == Keep, "%s: %+v", s, q)
		}
	}
}

// What surely asks to forget is carried out, also in words of no known form.
func TestSureOrdersToForget(t *testing.T) {
	for _, s := range []string{
		"Forget anything I wrote about the abortion.", "Forget any mention of my abortion.", "Please forget both things I said about the abortion.", "Forget whatever I told you about Ben.", "You can forget Ben.",
		"Forget Leo please, I shouldn't have told you.", "Bitte vergiss alles zu meiner Abtreibung.", "Vergiss unser Gespräch über die Abtreibung.", "Vergiss bitte Petra wieder.",
	} {
		if requests := Requests(s); assert.Len(t, requests, 1, s) {
			assert.False(t, requests[0].Unsure, s)
		}
	}
	for _, s := range []string{
		"Forget milk.", "Forget sugar.", "Forget tennis.", "Forget Des Moines, it's cancelled.", "Forget Paris, let's go to Rome instead.", "Forget pasta, I'm a rice person.", "Forget Tuesday, I work from home on Wednesdays now.",
		"Vergiss Bonn, ich wohne jetzt in Kiel.", "Vergiss Klaus Koch.", "Forget Christmas Eve, we meet on Boxing Day.", "Olvida a Pedro.", "Forget James Baker.",
	} {
		for _, q := range Requests(s) {
			assert.True(t, q.Unsure, s)
		}
	}
}

// With a reason it is rated whole, like any request in free words.
func TestOrdersToForgetWithAReason(t *testing.T) {
	for _, s := range []string{"Forget Leo, nobody must know.", "Vergiss Leo, das darf keiner wissen."} {
		if requests := Requests(s); assert.Len(t, requests, 1, s) {
			assert.True(t, requests[0].Loose, s)
		}
	}
}

// Something else may have been removed than what is remembered.
func TestOnlyForgettingConfirmsAnOrder(t *testing.T) {
	for _, answer := range []string{"Removed.", "Ok, removed Kiel from the itinerary.", "Done, milk is off the shopping list.", "Okay, dropped.", "Ok, gestrichen.", "Cancelled. I've deleted the entry."} {
		for _, s := range []string{"Forget milk.", "Forget Kiel.", "Tom, forget the keys", "Vergiss Kiel."} {
			assert.False(t, Confirms(s, answer), "%s %s", s, answer)
		}
	}
	assert.True(t, Confirms("Forget Northgate.", "Done, I've forgotten Northgate."))
	assert.True(t, Confirms("Vergiss Kiel.", "Erledigt, ich habe Kiel vergessen."))
}
