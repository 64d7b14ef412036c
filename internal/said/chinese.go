package said

func chinese() *lexicon {
	return &lexicon{subjects: map[string]bool{}, possessives: map[string]bool{}}
}
