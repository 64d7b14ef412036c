package evalset

// PlainText is a text with the attributes that searches filter by.
type PlainText struct {
	ID, Text, Role string
	Cycle          int64
	Issues         []int64
}

// PlainFilter selects texts. A zero field selects all.
type PlainFilter struct {
	Role         string
	Issue        int64
	First, Until int64 // cycles, both within
}
