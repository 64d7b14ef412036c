// Command ebb looks after a memory file from the command line: it takes
// conversations in, searches and explains, shows what was remembered and what
// faded, chats with a real agent, and checks a file's health.
//
//	go run github.com/ebbmem/ebb/cmd/ebb demo
//
// Every command reads and writes through the public API of package extension,
// as any host does. People get text, machines get --json: one document on
// standard output, its shape documented in the command's help. Faults are one
// line on standard error that says what is wrong and how to correct it.
//
// Exit codes: 0 done, 1 failure, 2 wrong usage or input, 3 not found, 4 the
// file is damaged or not a memory, 130 interrupted, 141 the reader of
// the output closed it.
package main
