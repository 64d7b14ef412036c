// Package racing reports whether tests run under the race detector, which makes
// SQLite some twenty times slower. Long tests without concurrency are skipped
// there.
package racing
