package mutation

var redaction = []Mutant{}
