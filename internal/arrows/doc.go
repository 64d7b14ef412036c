// Package arrows holds the import table of this repository, as a test.
//
// The packages are layers, with schema at the bottom and extension at the top. The
// table in table_test.go decides which imports are allowed. The test lists every
// package with `go list`, and fails when one imports a package of ebb's or of
// langchaingo's that its row does not allow, when code outside tests imports a test
// kit, or when a package has no row.
//
// # Changing the table
//
// A new package needs a row with its folder and the packages of ebb's and of
// langchaingo's that it may import. A new import in an existing row is a design
// decision; explain it in the commit that adds it.
//
// # What is checked
//
// Only direct imports. Code and tests are checked separately, because tests may
// import more: every test may import the test kits. Files excluded by build
// constraints are read as well, so that the result is the same on every platform.
//
// The package exports nothing, and no package imports it.
package arrows
