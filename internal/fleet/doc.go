// Package fleet runs several hosts on one memory on a server and ends them, the server,
// the broker and their connections at random moments.
//
// Its test starts itself again as hosts, which publish, read, search, erase and run
// nights, and which report over a pipe each operation before it begins and once it is
// acknowledged. At the end the test compares the memory with these reports: [Check]
// decides whether every host saw one order of each user's messages.
//
//	go test ./internal/fleet -run Killed -for 10m -users 200 -v -timeout 1h
package fleet
