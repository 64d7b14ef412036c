// Package wording keeps words out of the code's comments that a Go engineer
// would have to look up: riddles, inversions and private terms.
//
// Its test reads the comments of all Go files that are not tests. Text in quotes
// and strings that users see are not checked.
package wording
