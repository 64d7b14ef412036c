package evalset

// PlainText is a text with what searches are filtered by.
type PlainText struct {
	ID, Text, Role string
	Cycle          int64
	Issues         []int64
}

// PlainFilter lets texts through; what is zero lets all.
type PlainFilter struct {
	Role         string
	Issue        int64
	First, Until int64 // cycles, both within
}
