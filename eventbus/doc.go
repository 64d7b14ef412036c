// Package eventbus carries what happens in a conversation into the memory and
// tells hosts what the memory did.
package eventbus
