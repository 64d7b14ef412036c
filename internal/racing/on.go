//go:build race

package racing

// On reports that the race detector is at work.
const On = true
