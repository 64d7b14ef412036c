// Package kills kills processes at random moments and looks at what they leave.
//
// Its tests start themselves again as children. A child says over a pipe what it
// is about to do to a memory and what it has been told is done; it is killed
// with SIGKILL at a random moment. Then the memory is opened, examined, and
// compared with that account: what was acknowledged is there, once; what was
// begun is there whole or not at all; nothing else is there. Two children that
// work on one file at once, and are left to live, give the same account.
//
//	go test ./internal/kills -kills 5000 -v -timeout 1h
package kills
