package sqlite

import (
	"bytes"
	"crypto/rand"
	"strconv"
	"sync"
	"sync/atomic"

	"github.com/ncruces/go-sqlite3/util/vfsutil"
	"github.com/ncruces/go-sqlite3/vfs"
	"github.com/ncruces/go-sqlite3/vfs/adiantum"
	cipher "lukechampine.com/adiantum"
	"lukechampine.com/adiantum/hbsh"
)

// sealedVFS is the file system of sealed files, as layers: tidyVFS, Adiantum, the
// seal, and the operating system's file system, or in tests another one.
func sealedVFS(base string) string {
	name := "ebb-sealed"
	if base != "" {
		name += "-" + base
	}
	registering.Lock()
	defer registering.Unlock()
	if vfs.Find(name) == nil {
		vfs.Register(name, tidying{adiantum.Wrap(afterSeal{vfs.Find(base)}, keyring{})})
	}
	return name
}

var registering sync.Mutex

// keyring maps numbers to the keys of files. SQLite gets the number, so that no key
// is in a file name, a statement, or an error about either.
type keyring struct{}

var (
	keys    sync.Map // number as text → key of a file
	lastKey atomic.Int64
)

// holdKey adds a key to the keyring and returns its number.
func holdKey(fileKey []byte) string {
	number := strconv.FormatInt(lastKey.Add(1), 10)
	keys.Store(number, fileKey)
	return number
}

// dropKey removes a key. Open connections keep working.
func dropKey(number string) { keys.Delete(number) }

// KDF implements adiantum.HBSHCreator. The "text key" it gets is a number on the
// keyring; a temporary file gets a random key.
func (keyring) KDF(number string) []byte {
	if number == "" {
		key := make([]byte, KeySize)
		_, _ = rand.Read(key) // it never fails
		return key
	}
	held, _ := keys.Load(number)
	key, _ := held.([]byte)
	return key
}

// HBSH implements adiantum.HBSHCreator.
func (keyring) HBSH(key []byte) *hbsh.HBSH {
	if len(key) != KeySize {
		return nil // SQLite then refuses to open the file
	}
	return cipher.New(key)
}

// afterSeal hides the seal of a database from SQLite. Logs and journals have no
// seal.
type afterSeal struct{ vfs.VFS }

// OpenFilename implements vfs.VFSFilename.
func (v afterSeal) OpenFilename(name *vfs.Filename, flags vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	file, flags, err := vfsutil.WrapOpenFilename(v.VFS, name, flags)
	switch {
	case err != nil:
		return nil, flags, err
	case flags&vfs.OPEN_MAIN_DB != 0:
		return sealedFile{forwarding{file}, sealPage}, flags, nil
	}
	if flags&vfs.OPEN_WAL != 0 {
		return sealedLog{sealedFile{forwarding{file}, 0}}, flags, nil
	}
	return sealedFile{forwarding{file}, 0}, flags, nil
}

type sealedFile struct {
	forwarding

	seal int64 // bytes hidden at the start of the file
}

func (f sealedFile) ReadAt(p []byte, off int64) (int, error) { return f.File.ReadAt(p, off+f.seal) }

func (f sealedFile) WriteAt(p []byte, off int64) (int, error) { return f.File.WriteAt(p, off+f.seal) }

func (f sealedFile) Truncate(size int64) error { return f.File.Truncate(size + f.seal) }

// sealedLog is the log of a sealed file. Its frames are not aligned to blocks: a
// writer that appends one rewrites the block in which the frame before it ends, while
// others read that frame. The operating system does not promise that a reader gets
// all of the old block or all of the new one, and a mixture decrypts to 4 KiB of
// noise, which SQLite takes for a page.
type sealedLog struct{ sealedFile }

// ReadAt implements io.ReaderAt. It reads until two reads return the same bytes.
func (f sealedLog) ReadAt(p []byte, off int64) (int, error) {
	var block [sealPage]byte
	before := block[:0]
	for {
		n, err := f.sealedFile.ReadAt(p, off)
		if n > len(block) || bytes.Equal(before, p[:n]) {
			return n, err
		}
		before = append(block[:0], p[:n]...)
	}
}

// Size is the size of the whole blocks. After a power loss or on a full disk the
// last block may be incomplete; SQLite would fail to read it and to open the file.
func (f sealedFile) Size() (int64, error) {
	size, err := f.File.Size()
	return max(0, (size-f.seal)/sealPage*sealPage), err
}

func (f sealedFile) SizeHint(size int64) error { return vfsutil.WrapSizeHint(f.File, size+f.seal) }

// forwarding is a file with the optional methods of the one that it wraps.
type forwarding struct{ vfs.File }

func (f forwarding) Unwrap() vfs.File                { return f.File }
func (f forwarding) SharedMemory() vfs.SharedMemory  { return vfsutil.WrapSharedMemory(f.File) }
func (f forwarding) LockState() vfs.LockLevel        { return vfsutil.WrapLockState(f.File) }
func (f forwarding) HasMoved() (bool, error)         { return vfsutil.WrapHasMoved(f.File) }
func (f forwarding) PersistWAL() bool                { return vfsutil.WrapPersistWAL(f.File) }
func (f forwarding) SetPersistWAL(keep bool)         { vfsutil.WrapSetPersistWAL(f.File, keep) }
func (f forwarding) ChunkSize(size int)              { vfsutil.WrapChunkSize(f.File, size) }
func (f forwarding) SizeHint(size int64) error       { return vfsutil.WrapSizeHint(f.File, size) }
func (f forwarding) CheckpointStart()                { vfsutil.WrapCheckpointStart(f.File) }
func (f forwarding) CheckpointDone()                 { vfsutil.WrapCheckpointDone(f.File) }
func (f forwarding) BusyHandler(handler func() bool) { vfsutil.WrapBusyHandler(f.File, handler) }

// DeviceCharacteristics omits the atomic batches of f2fs, which only the rollback
// journal uses.
func (f forwarding) DeviceCharacteristics() vfs.DeviceCharacteristic {
	return f.File.DeviceCharacteristics() &^ vfs.IOCAP_BATCH_ATOMIC
}
