package mutation

var erasure = []Mutant{}
