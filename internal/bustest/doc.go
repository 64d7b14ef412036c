// Package bustest says, as tests, what an eventbus.Bus promises. An
// implementation declares which of the promises it makes and runs the suite:
//
//	func TestBus(t *testing.T) {
//		bustest.Run(t, bustest.Features{Durable: true, Ordered: true}, bustest.Setup{Open: open, Reopen: reopen})
//	}
//
// What every bus must do has no feature: each consumer gets each event of its
// topics at least once, bad events are refused with an error that names the
// field, and Close ends what was started.
package bustest
