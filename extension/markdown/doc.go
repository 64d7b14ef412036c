// Package markdown writes a memory as a folder of Markdown files, for people to
// read, keep and search with other tools.
//
// A user's folder holds profile.md (the user's own statements that still hold),
// facts.md (facts, preferences and reflections, current and ended), people/ (a file
// for each person, and each name that may be one) and days/ (the messages of each day). File names are dates, slugs
// of user names, and public ids, never names that occur in a memory.
//
// [Stores] writes the layout of four-stores-skill.md instead, into a folder that it
// replaces each time.
//
// Neither is a backup: sources, history, links, audits, blocks, proposals, settings and
// what is quarantined or forgotten are left out. [extension.Extension.Export] is
// lossless. [transfer.FormatMarkdown] imports Markdown as plain text.
package markdown
