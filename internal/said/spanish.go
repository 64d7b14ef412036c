package said

func spanish() *lexicon {
	return &lexicon{subjects: map[string]bool{}, possessives: map[string]bool{}}
}
