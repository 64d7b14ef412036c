//go:build !linux

package schema

func refuseNetworkFilesystem(string) error { return nil }

// diskFull cannot be asked portably; the failed write is reported as it came.
func diskFull(string) bool { return false }
