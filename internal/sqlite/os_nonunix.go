//go:build !unix

package sqlite

import "os"

// refuseSecondName does nothing: hard links are not detected here.
func refuseSecondName(string) error { return nil }

const locksFiles = false

// lockFile locks nothing here: two processes may create one file at the same time,
// and the link that ends a creation lets only one of them win.
func lockFile(*os.File) (bool, error) { return true, nil }

// folderUnwritable does not check anything here.
func folderUnwritable(string) (unwritable, medium bool) { return false, false }
