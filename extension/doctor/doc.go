// Package doctor examines memory files, damaged ones too, and repairs what can
// be derived again.
//
//	d, err := doctor.Diagnose(ctx, "memory.db", extension.Key{})
//	if !d.Healthy {
//		report, err := doctor.Repair(ctx, "memory.db", extension.Key{})
//	}
//
// It looks at a file from outside, on a connection of its own that changes
// nothing (package schema/check), and as a program does that opens it.
package doctor
