// Package kills kills processes at random moments and checks what they leave.
//
// Its tests start themselves again as child processes. A child reports over a pipe
// each operation on a memory before it begins and once it is acknowledged; SIGKILL
// ends it at a random moment. Then the test opens the memory and compares it with
// that report: acknowledged writes are there, once; unacknowledged ones are there
// as a whole or not at all; nothing else is there. The same holds for two children
// that work on one file at once and are not killed.
//
//	go test ./internal/kills -kills 5000 -v -timeout 1h
package kills
