// Package transfer takes histories into a memory and writes them out: turns,
// messages of chat APIs, ChatGPT exports, streams of agents, Markdown documents,
// and ebb's own lossless export.
//
// Hosts call the methods of extension.Extension (Import, Export, ImportArchive,
// ImportBank, ExportStream) and name the options and reports of this package:
//
//	report, err := ext.Import(ctx, file, transfer.ImportOptions{Scope: scope})
//
// An import reads its input as a stream and stores it in batches, each in one
// transaction. Every format gives a record an id that is the same each time, so an
// import that was interrupted is repeated as a whole.
//
// # The export
//
// One JSON object a line, a record each, under the name of its type; the first
// line is the header, the last counts the others. Records refer to each other by
// public ids and stand after what they refer to. An untrusted file, which is any that
// the host does not restore ([ImportOptions.Restore]), brings messages and claims
// with the trust of an import, and nothing else.
package transfer
