// Package doctor examines memory files, including damaged ones, and repairs what
// can be rebuilt from other data in the file.
//
//	d, err := doctor.Diagnose(ctx, "memory.db", extension.Key{})
//	if !d.Healthy {
//		report, err := doctor.Repair(ctx, "memory.db", extension.Key{})
//	}
//
// It reads the file on a connection of its own that changes nothing (package
// schema/check), and then opens it as a program would.
package doctor
