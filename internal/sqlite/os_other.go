//go:build !linux

package sqlite

func refuseNetworkFilesystem(string) error { return nil }

// diskFull is not portable; the failed write is reported unchanged.
func diskFull(string) bool { return false }

// inUse is not implemented here.
func inUse(string) (bool, error) { return false, nil }

// logHasReaders is not implemented here.
func logHasReaders(string) bool { return false }
