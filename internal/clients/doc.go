// Package clients adds ebb to the configuration of clients of the Model Context
// Protocol, and removes it again.
//
// [Client.Set] and [Client.Remove] change the text of one entry and preserve everything
// else, including comments, order and indentation. They parse the result and return an
// error if it differs in anything but that entry.
package clients
