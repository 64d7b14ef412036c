package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/ebbmem/ebb/extension"
)

// keyVariable holds a key as 64 hexadecimal digits. There is no option for the
// key itself: everybody on the machine can read a process's arguments.
const keyVariable = "EBB_KEY"

// readKey reads the key of the memory from a file or the environment; without
// either there is none.
func readKey(file string) (extension.Key, error) {
	digits := os.Getenv(keyVariable)
	switch {
	case file != "" && digits != "":
		return extension.Key{}, &usageError{"both --key-file (or EBB_KEY_FILE) and " + keyVariable + " are set; keep one"}
	case digits != "":
		key, err := extension.ParseKey([]byte(digits))
		if err != nil {
			return key, fmt.Errorf("%s: %w", keyVariable, err)
		}
		return key, nil
	case file == "":
		return extension.Key{}, nil
	}
	return keyIn(file)
}

// keyIn reads the key in a file.
func keyIn(file string) (extension.Key, error) {
	text, err := readSmall(file)
	if err != nil {
		return extension.Key{}, &usageError{"the key file cannot be read: " + err.Error()}
	}
	key, err := extension.ParseKey(text)
	if err != nil {
		return key, fmt.Errorf("%s: %w", file, err)
	}
	return key, nil
}

// longestKey is far more than any key file holds, and little enough to read.
const longestKey = 4096

// readSmall reads the first bytes of what may be a file, a pipe or a secret that
// is mounted. Its mode is not checked: the
// platform that mounts secrets sets it.
func readSmall(file string) (text []byte, err error) {
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	if text, err = io.ReadAll(io.LimitReader(f, longestKey+1)); err == nil && len(text) > longestKey {
		err = fmt.Errorf("%s holds more than %d bytes, which is no key", file, longestKey)
	}
	return text, err
}
