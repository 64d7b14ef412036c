// Package link lets a program find the server that has a memory file open on this
// machine, so that the file has one writer and one index.
//
// The server listens on loopback and writes the file FILE.serve beside the memory,
// which only its owner can read: the address, which file is open, and a key pair
// that was made for this run. Both sides of each connection prove by TLS that they
// hold the key. So a program that took over the port of a server that was killed
// is sent nothing, and a program that cannot read the file gets nothing.
//
// FILE.serve holds nothing of the memory. One that a killed server left behind is
// ignored by readers, since its address does not answer, and replaced by the next
// server.
package link
