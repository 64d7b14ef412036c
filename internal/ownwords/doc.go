// Package ownwords keeps what users have said of themselves and have not taken
// back, in their own words: for each user the sentences that current claims rest
// on, as lines of the core section of a prompt.
//
// The lines are a view computed from the claims, never stored. [Views] brings it up
// to date with whatever changed a claim, in any process. [Lines.Choose] takes what
// fits into a budget.
package ownwords
