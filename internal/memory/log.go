package memory

import (
	"log/slog"
	"sync"
)

// LogOnce returns the hook for faults of hosts that give none: it logs each fault when it
// first occurs, and a hundred at most.
func LogOnce() func(source string, err error) {
	const most = 100
	var mu sync.Mutex
	logged := make(map[[2]string]bool)
	return func(source string, err error) {
		mu.Lock()
		defer mu.Unlock()
		if key := [2]string{source, err.Error()}; !logged[key] && len(logged) < most {
			logged[key] = true
			slog.Error("ebb: a fault that is returned to no caller", "source", source, "error", err)
		}
	}
}
