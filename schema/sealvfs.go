package schema

import (
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

// sealedVFS is the file system under which sealed files are read: tidy pages
// over Adiantum over the seal over the operating system's, or over another one for tests.
func sealedVFS(base string) string {
	name := "ebb-sealed"
	if base != "" {
		name += "-" + base
	}
	registering.Lock()
	defer registering.Unlock()
	if vfs.Find(name) == nil {
		vfs.Register(name, tidying{adiantum.Wrap(behindSeal{vfs.Find(base)}, keyring{})})
	}
	return name
}

var registering sync.Mutex

// keyring gives the cipher the key of a file. SQLite knows it by a number, so
// that no key is in a file name, a statement, or an error about either.
type keyring struct{}

var (
	keys    sync.Map // number as text → key of a file
	lastKey atomic.Int64
)

// holdKey puts a key on the ring and returns its number there.
func holdKey(fileKey []byte) string {
	number := strconv.FormatInt(lastKey.Add(1), 10)
	keys.Store(number, fileKey)
	return number
}

// dropKey takes it off again. Connections that are open keep working.
func dropKey(number string) { keys.Delete(number) }

// KDF implements adiantum.HBSHCreator: what SQLite calls the text of a key is
// its number on the ring; a temporary file gets a random key.
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

// behindSeal shows SQLite what follows the seal of a database as the file.
// Logs and journals have no seal.
type behindSeal struct{ vfs.VFS }

// OpenFilename implements vfs.VFSFilename.
func (v behindSeal) OpenFilename(name *vfs.Filename, flags vfs.OpenFlag) (vfs.File, vfs.OpenFlag, error) {
	file, flags, err := vfsutil.WrapOpenFilename(v.VFS, name, flags)
	switch {
	case err != nil:
		return nil, flags, err
	case flags&vfs.OPEN_MAIN_DB != 0:
		return sealedFile{file, sealPage}, flags, nil
	}
	return sealedFile{file, 0}, flags, nil
}

type sealedFile struct {
	vfs.File

	seal int64 // bytes before what SQLite sees
}

func (f sealedFile) ReadAt(p []byte, off int64) (int, error) { return f.File.ReadAt(p, off+f.seal) }

func (f sealedFile) WriteAt(p []byte, off int64) (int, error) { return f.File.WriteAt(p, off+f.seal) }

func (f sealedFile) Truncate(size int64) error { return f.File.Truncate(size + f.seal) }

// Size is that of the whole blocks. After a power loss or on a full disk the
// last one may be there in part, and cannot be read: SQLite, which would try to,
// would not open the file.
func (f sealedFile) Size() (int64, error) {
	size, err := f.File.Size()
	return max(0, (size-f.seal)/sealPage*sealPage), err
}

// DeviceCharacteristics leaves out the atomic batches of f2fs, which only the
// rollback journal uses.
func (f sealedFile) DeviceCharacteristics() vfs.DeviceCharacteristic {
	return f.File.DeviceCharacteristics() &^ vfs.IOCAP_BATCH_ATOMIC
}

func (f sealedFile) SizeHint(size int64) error { return vfsutil.WrapSizeHint(f.File, size+f.seal) }

// What else a file may be able to do, it does as it is.

func (f sealedFile) Unwrap() vfs.File                { return f.File }
func (f sealedFile) SharedMemory() vfs.SharedMemory  { return vfsutil.WrapSharedMemory(f.File) }
func (f sealedFile) LockState() vfs.LockLevel        { return vfsutil.WrapLockState(f.File) }
func (f sealedFile) HasMoved() (bool, error)         { return vfsutil.WrapHasMoved(f.File) }
func (f sealedFile) PersistWAL() bool                { return vfsutil.WrapPersistWAL(f.File) }
func (f sealedFile) SetPersistWAL(keep bool)         { vfsutil.WrapSetPersistWAL(f.File, keep) }
func (f sealedFile) ChunkSize(size int)              { vfsutil.WrapChunkSize(f.File, size) }
func (f sealedFile) CheckpointStart()                { vfsutil.WrapCheckpointStart(f.File) }
func (f sealedFile) CheckpointDone()                 { vfsutil.WrapCheckpointDone(f.File) }
func (f sealedFile) BusyHandler(handler func() bool) { vfsutil.WrapBusyHandler(f.File, handler) }
