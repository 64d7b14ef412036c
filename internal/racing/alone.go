package racing

import "testing"

// Alone skips a long test without concurrency under the race detector.
func Alone(t testing.TB) {
	t.Helper()
	if On {
		t.Skip("nothing in it runs at the same time: left to the run without the race detector")
	}
}
