package sqlite

import (
	"bytes"
	"crypto/hkdf"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"

	"github.com/ncruces/go-sqlite3/vfs"
)

// A sealed file is an encrypted database. It begins with a seal, a plain page,
// followed by SQLite's pages, encrypted:
//
//	16 bytes  "ebb sealed v1\n" and two zeroes
//	32 bytes  salt, random for each file
//	16 bytes  check: shows whether a key fits, and nothing else about it
//
// The rest of the page is zeroes, except for a second copy in its middle: without
// the salt the file could not be decrypted.
//
// Each file has its own key, HKDF-SHA256 (RFC 5869) of the given key and the salt.
// Encryption without an initialisation vector reveals which blocks are equal; with
// a salt for each file, neither two databases under one key nor a database and its
// copy can be compared.
const (
	sealPage   = 4096 // a block of the cipher, so that blocks stay aligned
	sealMagic  = "ebb sealed v1\n\x00\x00"
	saltSize   = 32
	checkSize  = 16
	sealLength = len(sealMagic) + saltSize + checkSize
	sealCopy   = sealPage / 2 // where the second copy begins
)

const sqliteMagic = "SQLite format 3\x00"

// writeSeal writes the seal of a new file, if there is a key, and returns the
// options to open it with. The caller must drop their key afterwards.
func (o Config) writeSeal(file io.WriterAt, key Key) (Config, error) {
	o.Key, o.sealNumber = key, ""
	if key.IsZero() {
		return o, nil
	}
	page, own, err := newSeal(key)
	if err != nil {
		return o, err
	}
	if _, err := file.WriteAt(page, 0); err != nil {
		return o, err
	}
	o.sealNumber = holdKey(own)
	return o, nil
}

// writeSealAt is writeSeal for the empty file at path.
func (o Config) writeSealAt(path string, key Key) (opts Config, err error) {
	if key.IsZero() {
		return o.writeSeal(nil, key)
	}
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return o, err
	}
	opts, err = o.writeSeal(file, key)
	return opts, errors.Join(err, file.Close())
}

// setFileSystem sets the URI parameters for the file system and the key.
func (o Config) setFileSystem(q url.Values) {
	q.Set("vfs", tidyVFS(o.VFS))
	if o.sealNumber != "" {
		q.Set("vfs", sealedVFS(o.VFS))
		q.Set("textkey", o.sealNumber)
	}
}

// sealBytes is the size of the seal: the file is longer by it than SQLite sees.
func (o Config) sealBytes() int64 {
	if o.sealNumber == "" {
		return 0
	}
	return sealPage
}

// unseal reads the seal, if there is one, and checks that the key fits.
func (db *DB) unseal(file io.ReaderAt) error {
	own, err := fileKey(file, db.opts.Key)
	if err != nil || own == nil {
		return err
	}
	db.opts.sealNumber = holdKey(own)
	return nil
}

// Parameters returns the URI parameters that SQLite needs to read a file that
// [Open] may refuse; none for a plain file. Call release when the file is no longer
// opened.
//
// Errors: [ErrKey] in its forms, [ErrNotDatabase].
func Parameters(file io.ReaderAt, key Key) (parameters url.Values, release func(), err error) {
	parameters = url.Values{}
	own, err := fileKey(file, key)
	if err != nil || own == nil {
		return parameters, func() {}, err
	}
	number := holdKey(own)
	Config{sealNumber: number}.setFileSystem(parameters)
	return parameters, func() { dropKey(number) }, nil
}

// sealInPlace writes or reads the seal on a virtual file system, where an empty
// file is a new one.
func (db *DB) sealInPlace() (err error) {
	if db.opts.Key.IsZero() {
		return nil
	}
	flags := vfs.OPEN_MAIN_DB | vfs.OPEN_READWRITE | vfs.OPEN_CREATE
	if db.opts.ReadOnly {
		flags = vfs.OPEN_MAIN_DB | vfs.OPEN_READONLY
	}
	file, _, err := vfs.Find(db.opts.VFS).Open(db.path, flags)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	size, err := file.Size()
	if err != nil {
		return err
	}
	if size > 0 || db.opts.ReadOnly {
		return db.unseal(file)
	}
	opts, err := db.opts.writeSeal(file, db.opts.Key)
	if err != nil {
		return err
	}
	db.opts = opts
	return file.Sync(vfs.SYNC_FULL)
}

// newSeal makes the seal of a new file and the file's own key.
func newSeal(key Key) (page, fileKey []byte, err error) {
	var salt [saltSize]byte
	_, _ = rand.Read(salt[:]) // it never fails
	fileKey, check, err := deriveFileKey(key, salt[:])
	if err != nil {
		return nil, nil, err
	}
	page = make([]byte, sealPage)
	for _, at := range [...]int{0, sealCopy} {
		copy(page[at:], bytes.Join([][]byte{[]byte(sealMagic), salt[:], check}, nil))
	}
	return page, fileKey, nil
}

func deriveFileKey(key Key, salt []byte) (fileKey, check []byte, err error) {
	if fileKey, err = hkdf.Key(sha256.New, key.secret(), salt, "ebb file key", KeySize); err != nil {
		return nil, nil, err
	}
	check, err = hkdf.Key(sha256.New, key.secret(), salt, "ebb key check", checkSize)
	return fileKey, check, err
}

// fileKey reads the first page and returns the file's own key, or nil for a plain
// file. It changes nothing.
//
// Errors: [ErrKeyMissing], [ErrKeyWrong], [ErrKeyUnneeded], [ErrNotDatabase].
func fileKey(file io.ReaderAt, key Key) ([]byte, error) {
	page := make([]byte, sealPage)
	n, err := file.ReadAt(page, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	page = page[:n]
	if bytes.HasPrefix(page, []byte(sqliteMagic)) {
		if !key.IsZero() {
			return nil, ErrKeyUnneeded
		}
		return nil, nil
	}
	sealed := false
	for _, at := range [...]int{0, sealCopy} {
		if len(page) < at+sealLength || string(page[at:at+len(sealMagic)]) != sealMagic {
			continue
		}
		sealed = true
		if key.IsZero() {
			return nil, ErrKeyMissing
		}
		salt := page[at+len(sealMagic):][:saltSize]
		own, check, err := deriveFileKey(key, salt)
		if err != nil {
			return nil, err
		}
		if subtle.ConstantTimeCompare(check, page[at+len(sealMagic)+saltSize:][:checkSize]) == 1 {
			return own, nil
		}
	}
	if sealed {
		return nil, ErrKeyWrong
	}
	return nil, fmt.Errorf("%w: it does not begin as a SQLite file or an encrypted memory does", ErrNotDatabase)
}
