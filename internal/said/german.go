package said

func german() *lexicon {
	return &lexicon{subjects: map[string]bool{}, possessives: map[string]bool{}}
}
