// Package prompt has what stands in a prompt beside the results of a search: the lines
// of the core section, marks of claims that were superseded, and the short ids of the
// memories of a conversation ([ShortIDs]).
//
// The core section is what users have said and have not taken back, in
// their own words: for each user the sentences that current claims rest on. The lines
// are a view computed from the claims, never stored. [Views] brings it up to date with
// whatever changed a claim, in any process. [Lines.Choose] takes what fits into a
// budget. [Views.Endings] are only what the claims say that is over, without the cost of
// the lines.
package prompt
