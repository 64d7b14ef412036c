package racing

import "testing"

// Alone leaves a long test in which nothing runs at the same time as anything
// else to the plain run of the tests.
func Alone(t testing.TB) {
	t.Helper()
	if On {
		t.Skip("nothing in it runs at the same time: left to the run without the race detector")
	}
}
