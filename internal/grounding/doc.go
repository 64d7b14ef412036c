// Package grounding compares a claim with what was said: whether the turn that a model
// cites supports its claim "the user's rent is 1,250 euros". It calls no model and
// imports only internal/text.
//
//	s := grounding.Understand("The user's dog is called Biscuit.", now)
//	s.HeldBy("My dog Biscuit hates the vet.", saidAt, []string{"Ada"}) // true
//	s.Quote(turn)                                                      // the sentence that comes closest
//
// [Statement.Missing] asks for less: that every name, number and date occurs,
// whatever the words between them. [HoldsQuote] looks a quotation up.
//
// [IsPreference] judges the wording of a claim.
package grounding
