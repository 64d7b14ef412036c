// Package grounding compares what is claimed with what was said: whether a
// model that says "the user's rent is 1,250 euros" can have it from the turn it
// names. It is a leaf and asks no model.
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
