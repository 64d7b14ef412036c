// Package clients writes the configuration by which a client of the Model Context
// Protocol starts ebb, and takes it back.
//
// A configuration file belongs to its owner: [Set] and [Remove] change the text of
// one entry and keep everything else as it is, comments, order and indentation
// included. They read the result again and refuse to return one that differs in
// anything but that entry.
package clients
