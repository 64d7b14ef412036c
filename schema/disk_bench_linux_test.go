package schema_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// BenchmarkFilesSynced is what the disk alone makes of a commit's writes when
// they go to one file, and to one of many: 40 KB over what is there, and a sync.
func BenchmarkFilesSynced(b *testing.B) {
	const length, commit = 1 << 20, 40 << 10
	for _, files := range []int{1, 200} {
		b.Run(fmt.Sprintf("files=%d", files), func(b *testing.B) {
			random := rand.New(rand.NewPCG(1, 1))
			var all []*os.File
			for i := range files {
				f, err := os.Create(filepath.Join(b.TempDir(), fmt.Sprint(i)))
				require.NoError(b, err)
				defer f.Close()
				_, err = f.Write(make([]byte, length))
				require.NoError(b, err)
				require.NoError(b, f.Sync())
				all = append(all, f)
			}
			written := make([]byte, commit)
			for i := 0; b.Loop(); i++ {
				f := all[random.IntN(files)]
				_, err := f.WriteAt(written, int64(i%(length/commit))*commit)
				require.NoError(b, err)
				require.NoError(b, unix.Fdatasync(int(f.Fd())))
			}
		})
	}
}
