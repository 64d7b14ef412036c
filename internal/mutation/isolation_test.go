package mutation

var isolation = []Mutant{}
