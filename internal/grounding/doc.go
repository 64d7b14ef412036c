// Package grounding compares a claim with what was said: whether the turn that a model
// cites supports its claim "the user's rent is 1,250 euros". It calls no model and
// imports only internal/text.
//
//	s := grounding.Understand("The user's dog is called Biscuit.", now)
//	s.StatedIn("My dog Biscuit hates the vet.", saidAt, []string{"Ada"}) // the sentence that says all of it
//	s.Quote(turn)                                                        // the sentence that comes closest
//
// [Statement.StatedIn] decides whether a claim has the user's trust: nothing in it may
// be added to what was said. [Statement.Missing] asks for less: that every name, number and date occurs,
// whatever the words between them. [HoldsQuote] looks a quotation up.
//
// [IsPreference] judges the wording of a claim.
package grounding
