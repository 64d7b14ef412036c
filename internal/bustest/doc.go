// Package bustest is the contract of an eventbus.Bus as a test suite. An
// implementation declares its optional guarantees and runs the suite:
//
//	func TestBus(t *testing.T) {
//		bustest.Run(t, bustest.Features{Durable: true, Ordered: true}, bustest.Setup{Open: open, Reopen: reopen})
//	}
//
// The other guarantees are mandatory: each consumer gets each event of its topics
// at least once, invalid events are rejected with an error that names the field,
// and Close ends all goroutines.
package bustest
