// Package racing says whether tests run under the race detector, which makes
// SQLite some twenty times slower. Long tests in which nothing runs at the same
// time as anything else leave it to the plain run.
package racing
