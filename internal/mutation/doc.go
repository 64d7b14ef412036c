// Package mutation proves that the tests of ebb's promises can fail.
//
// Each [Mutant] takes one defence out of the code and names the test that must
// notice. The table is kept true in two ways. Every run of the tests checks
// that each mutant still fits the code: its fragment occurs exactly once. With
// the flag -mutants they are made and tested, each in an overlay, so that no
// file of the work tree changes:
//
//	go test ./internal/mutation -run Mutants -mutants [-area erasure] -timeout 1h -v
//
// SECURITY.md lists the table; -update writes it there.
package mutation

// Mutant is one defence, how to remove it, and the test that fails without it.
type Mutant struct {
	// Defence is what is promised, in one sentence.
	Defence string
	// File holds the defence, from the root of the module.
	File string
	// Old is the fragment of File that defends. It occurs there exactly once.
	Old string
	// New takes its place. The result must compile.
	New string
	// Package holds the test: "./schema".
	Package string
	// Test is the pattern of -run.
	Test string
	// Args are further arguments of go test, such as "-race" or a flag of the
	// test's own. Default none.
	Args []string
}
