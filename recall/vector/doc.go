// Package vector finds the nearest of one user's embedding vectors by brute
// force, in memory.
//
// A [Set] holds vectors of length 1 and numbers them in order of arrival, from
// 0: their places. A small set keeps the vectors as they are and compares a
// query with each. A set that grows beyond its limit keeps codes of 5 bits a
// number, a sixth of the size, and searches in three passes:
//
//  1. The signs of all codes, one bit a number, are looked up in a table made
//     from the query (André et al. 2015, PQ Fast Scan). The best hundreds or
//     thousands go on.
//  2. Their cosines are estimated from all bits of their codes.
//  3. The best 32 are read from where the caller stores them and compared
//     exactly.
//
// Before it is coded, a vector is centred on the mean of the first vectors and
// rotated at random, so that each sign carries about as much information as any
// other (Gao and Long 2024, RaBitQ). There is no graph and no training: a set
// built in steps equals one built at once, and a new vector is found by the
// next search.
//
// The loops of the first two passes are in assembly for processors with AVX2;
// the build tag purego leaves the portable ones.
package vector
