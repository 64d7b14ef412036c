package eventbus

// Stored is the payload of [TopicMemoryStored].
type Stored struct {
	ID      string `json:"id"`                 // the memory's public id
	Kind    string `json:"kind"`               // episode | fact | preference | reflection
	EventID string `json:"event_id,omitempty"` // id of the message it was made from
	Session string `json:"session,omitempty"`
	// Restored reports that the memory was imported from an export, together with
	// its entities.
	Restored bool `json:"restored,omitempty"`
}

// Recalled is the payload of [TopicMemoryRecalled].
type Recalled struct {
	Channel string         `json:"channel"` // memory | model | tool
	Query   string         `json:"query,omitempty"`
	Items   []RecalledItem `json:"items"`
	// Core are the public ids of the messages that the core section quoted for the
	// first time in this conversation. They do not count as accesses.
	Core []string `json:"core,omitempty"`
}

// RecalledItem is one memory that was shown.
type RecalledItem struct {
	ID    string  `json:"id"`   // the memory's public id
	Rank  int     `json:"rank"` // from 1; 0 for one that was not searched for, which is no use of it
	Score float64 `json:"score"`
}

// Consolidated is the payload of [TopicMemoryConsolidated].
type Consolidated struct {
	RunID string `json:"run_id"`
	Cause string `json:"cause"` // night | manual | trigger | said | host
	State string `json:"state"` // done | failed | undone
	Error string `json:"error,omitempty"`
}

// Proposed is the payload of [TopicMemoryProposed].
type Proposed struct {
	ID string `json:"id"` // of the proposal
	// Kind is the kind of the proposal: correct, contradiction, merge_entities,
	// block, forget, memory or protect.
	Kind string `json:"kind"`
	// MemoryID is the memory to be protected.
	MemoryID string `json:"memory_id,omitempty"`
}
