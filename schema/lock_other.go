//go:build !unix

package schema

import "os"

// refuseSecondName cannot see hard links here.
func refuseSecondName(string) error { return nil }

const locks = false

// lockFile: two first openings of one new file at one moment are not kept
// apart here; the link that ends a creation still lets only one of them win.
func lockFile(*os.File) (bool, error) { return true, nil }

// refusesFiles cannot be told here.
func refusesFiles(string) (unwritable, medium bool) { return false, false }
