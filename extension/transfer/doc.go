// Package transfer imports and exports histories: turns, messages of chat APIs,
// ChatGPT exports, streams of agents, Markdown documents, and ebb's own lossless
// export.
//
// Hosts call the methods of extension.Extension (Import, Export, ImportArchive,
// ImportBank, ExportStream) with the options and reports of this package:
//
//	report, err := ext.Import(ctx, file, transfer.ImportOptions{Scope: scope})
//
// An import reads its input as a stream and stores it in batches, each in one
// transaction. Records get the same ids each time, so an interrupted import is
// repeated as a whole.
//
// # The export
//
// The export has one JSON object a line, each holding one record under the name of
// its type. The first line is the header; the last counts the others. Records refer
// to each other by public ids and follow what they refer to. The header's written_at is
// the time at which the export began; without it, the export counts as old as the user
// (created_at). What was erased here since then is not restored, nor is what may
// mention it without its id: audit, ledgers, blocks, names. Unless the host sets
// [ImportOptions.Restore], the file is untrusted: only its messages and claims are
// imported, with the trust of an import.
package transfer
