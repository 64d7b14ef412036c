package consolidate_test

import (
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/ebbmem/ebb/internal/memtest"
)

// The test binary is also the other process: with EBB_NIGHT set it runs a night
// over that file, until it is done or killed.
func TestMain(m *testing.M) {
	if path := os.Getenv("EBB_NIGHT"); path != "" {
		nightUntilKilled(path)
		return
	}
	goleak.VerifyTestMain(m)
}

var (
	open, remember, reread = memtest.Open, memtest.Remember, memtest.Reread
	dump, linked           = memtest.Dump, memtest.Links
)
