package mutation

var poisoning = []Mutant{}
