// Package arrows holds the import table of this repository, as a test.
//
// ebb is built as rooms: schema at the bottom, extension at the top, and what
// may import what is decided once, in the table of table_test.go. The test
// lists every package with `go list`, and fails when one imports a room or a
// langchaingo package that its row does not allow, when code outside tests
// imports a test kit, or when a package has no row.
//
// # Changing the table
//
// A new package needs a row: name its folder, what it may import of ours, and
// which langchaingo packages. A new arrow in an existing row is a design
// decision: it belongs in the same commit as the reason for it.
//
// # What is checked
//
// Only direct imports. Code and tests are checked separately, because a test
// may use more than the code beside it: every test may import the test kits.
// Files that build constraints leave out on this machine are read as well, so
// the answer is the same on every platform.
//
// The package exports nothing and is imported by nothing.
package arrows
