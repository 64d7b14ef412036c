package sqlite

import (
	"bytes"
	"io"
	"testing"

	"github.com/ncruces/go-sqlite3/vfs"
	"github.com/stretchr/testify/require"
)

// tornFile is a file of one block that is being rewritten: the first reads return
// the beginning of the new block and the rest of the old one.
type tornFile struct {
	vfs.File

	old, new []byte
	torn     int // reads until the new block is written
}

func (f *tornFile) ReadAt(p []byte, off int64) (int, error) {
	if off > 0 {
		return 0, io.EOF
	}
	at := len(f.new)
	if f.torn > 0 {
		f.torn--
		at = len(f.new) / (2 + f.torn)
	}
	return copy(p, append(bytes.Clone(f.new[:at]), f.old[at:]...)), nil
}

// Readers of an encrypted log get whole blocks while it is written:
// a mixture decrypts to noise.
func TestASealedLogIsReadInWholeBlocks(t *testing.T) {
	before, after := bytes.Repeat([]byte("old "), sealPage/4), bytes.Repeat([]byte("new "), sealPage/4)
	for _, torn := range []int{0, 1, 3} {
		log := sealedLog{sealedFile{forwarding: forwarding{&tornFile{old: before, new: after, torn: torn}}}}
		block := make([]byte, sealPage)
		n, err := log.ReadAt(block, 0)
		require.NoError(t, err)
		require.Equal(t, sealPage, n)
		require.True(t, bytes.Equal(after, block), torn)
		_, err = log.ReadAt(block, sealPage)
		require.ErrorIs(t, err, io.EOF)
	}
}
