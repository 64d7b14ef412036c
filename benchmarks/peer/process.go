package peer

import (
	"os"
	"runtime/debug"
	"strconv"
	"strings"
)

// collect frees unused memory, so that resident memory does not depend on when the
// collector ran.
func collect() { debug.FreeOSMemory() }

// resident is VmRSS of this process in bytes; 0 where /proc does not say.
func resident() int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		if rest, found := strings.CutPrefix(line, "VmRSS:"); found {
			kib, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			if err != nil {
				return 0
			}
			return kib << 10
		}
	}
	return 0
}

// descriptors is how many files the process holds open; 0 where /proc does not
// say.
func descriptors() int {
	open, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0
	}
	return len(open) - 1 // the listing holds one itself
}
