package encoder

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

const (
	configFile  = "config.json"
	weightsFile = "model.safetensors"

	maxConfig = 1 << 20 // bytes of a configuration file
)

// File is one file of a model.
type File struct {
	Name   string // relative to the model folder, with slashes
	Size   int64
	SHA256 string // in hexadecimal
}

// hashFiles is a SHA-256 over the files' names and hashes, in hexadecimal.
func hashFiles(files []File) string {
	hash := sha256.New()
	for _, f := range slices.SortedFunc(slices.Values(files), func(a, b File) int { return cmp.Compare(a.Name, b.Name) }) {
		fmt.Fprintf(hash, "%q %s\n", f.Name, f.SHA256)
	}
	return hex.EncodeToString(hash.Sum(nil))
}

// folder reads files of a model folder and keeps their hashes.
type folder struct {
	dir   string
	files []File
}

// open opens a file of at most limit bytes. For a missing optional file it returns
// nil.
func (f *folder) open(path, name string, limit int64, optional bool) (*os.File, int64, error) {
	name = filepath.Join(filepath.FromSlash(path), name)
	if !filepath.IsLocal(name) {
		return nil, 0, invalid(name, "lies outside the model folder")
	}
	full := filepath.Join(f.dir, name)
	info, err := os.Stat(full)
	switch {
	case optional && errors.Is(err, fs.ErrNotExist):
		return nil, 0, nil
	case err != nil:
		return nil, 0, &InvalidError{File: name, Problem: "cannot be read", Err: err}
	case !info.Mode().IsRegular():
		return nil, 0, invalid(name, "not a file")
	case info.Size() > limit:
		return nil, 0, invalid(name, "%d bytes are more than the %d that are supported", info.Size(), limit)
	}
	file, err := os.Open(full)
	if err != nil {
		return nil, 0, &InvalidError{File: name, Problem: "cannot be read", Err: err}
	}
	return file, info.Size(), nil
}

// keep records a file that was read.
func (f *folder) keep(path, name string, size int64, hash []byte) {
	name = filepath.ToSlash(filepath.Join(filepath.FromSlash(path), name))
	if !slices.ContainsFunc(f.files, func(known File) bool { return known.Name == name }) {
		f.files = append(f.files, File{Name: name, Size: size, SHA256: hex.EncodeToString(hash)})
	}
}

// read returns a file's content. For a missing optional file it returns nil.
func (f *folder) read(path, name string, limit int64, optional bool) ([]byte, error) {
	file, _, err := f.open(path, name, limit, optional)
	if err != nil || file == nil {
		return nil, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, limit))
	if err != nil {
		return nil, &InvalidError{File: name, Problem: "cannot be read", Err: err}
	}
	hash := sha256.Sum256(data)
	f.keep(path, name, int64(len(data)), hash[:])
	return data, nil
}

// json reads a file of JSON into v. A missing optional file leaves v unchanged.
func (f *folder) json(path, name string, v any, optional bool) error {
	data, err := f.read(path, name, maxConfig, optional)
	if err != nil || data == nil {
		return err
	}
	if err := json.Unmarshal(data, v); err != nil {
		return &InvalidError{File: name, Problem: "cannot be read", Err: err}
	}
	return nil
}

// safetensors reads the weights.
func (f *folder) safetensors(path string) (*tensors, error) {
	file, size, err := f.open(path, weightsFile, maxWeights, false)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	hash := sha256.New()
	weights, err := readSafetensors(weightsFile, io.TeeReader(file, hash), size)
	if err != nil {
		return nil, err
	}
	f.keep(path, weightsFile, size, hash.Sum(nil))
	return weights, nil
}
