package mutation

var diagnosis = []Mutant{}
