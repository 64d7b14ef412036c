package mutation

var faults = []Mutant{}
