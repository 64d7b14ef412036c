package mutation

var encryption = []Mutant{}
