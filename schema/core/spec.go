package core

import (
	"regexp"
	"slices"
	"strings"

	"github.com/ebbmem/ebb/schema"
)

// BlockKind is the form of a block's content.
type BlockKind string

// The forms. Content that is JSON is kept compact, with the names of fields in
// alphabetical order and without empty ones.
const (
	BlockText    BlockKind = "text"    // one text, as it is
	BlockList    BlockKind = "list"    // a JSON array of texts, oldest first
	BlockFields  BlockKind = "fields"  // a JSON object of [BlockSpec.Fields]
	BlockRecords BlockKind = "records" // a JSON array of such objects, each with an "id"
)

// Validate returns an [*schema.InvalidError] for an unknown kind.
func (k BlockKind) Validate() error {
	if slices.Contains([]BlockKind{BlockText, BlockList, BlockFields, BlockRecords}, k) {
		return nil
	}
	return &schema.InvalidError{Field: "kind", Reason: "is not one of text, list, fields, records"}
}

// BlockWriter says what a model may do to a block. A host may always write.
type BlockWriter string

// What a model may do, from the least.
const (
	HostWrites    BlockWriter = ""        // nothing: the block is the host's
	ModelProposes BlockWriter = "propose" // ask for a change, which waits for the host's approval
	ModelWrites   BlockWriter = "write"   // change it
)

// Defaults of [BlockSpec] and [BlockField].
const (
	DefaultBlockTokens = 2000 // of a block
	DefaultBlockItems  = 50   // in a list, and records in a block
	DefaultFieldTokens = 300  // of a text in a list or a field
)

// BlockSpec describes a block of core memory: a text that stands in every
// context. Name and Kind are required.
type BlockSpec struct {
	// Name is what a model calls it: up to 40 letters, digits and underscores.
	Name string `json:"name"`
	// About tells a model in a sentence what belongs there. Default none.
	About string `json:"about,omitempty"`
	// Kind is the form of the content.
	Kind BlockKind `json:"kind"`
	// PerAgent gives each [schema.Scope.Agent] a block of its own, which no other agent
	// sees. Default false: one block for all agents of the user.
	PerAgent bool `json:"per_agent,omitempty"`
	// Writer is what a model may do to it. Default [HostWrites].
	Writer BlockWriter `json:"writer,omitempty"`
	// Fields are those of an object. Required for [BlockFields] and
	// [BlockRecords], where the first is the one that makes a record: one that
	// has no text in it is taken out.
	Fields []BlockField `json:"fields,omitempty"`
	// Tokens is the most that the whole content may take, estimated without a
	// vocabulary. Default [DefaultBlockTokens].
	Tokens int `json:"tokens,omitempty"`
	// Items is the most entries of a list, and the most records. Default
	// [DefaultBlockItems].
	Items int `json:"items,omitempty"`
	// Critical marks a block whose every change the host wants to know of at once.
	// Default false.
	Critical bool `json:"critical,omitempty"`
}

// BlockField is a field of a [BlockFields] block or of a record.
type BlockField struct {
	Name string `json:"name"`
	// List makes it a list of texts, oldest first. Default false: one text.
	List bool `json:"list,omitempty"`
	// Items is the most entries of the list. Default [DefaultBlockItems].
	Items int `json:"items,omitempty"`
	// Newest keeps the newest entries of a list that has more than Items.
	// Default false: what would make it longer is refused.
	Newest bool `json:"newest,omitempty"`
	// Stamp sets it to the time of a record's last change, RFC 3339, and ignores
	// what a writer gives for it. Default false.
	Stamp bool `json:"stamp,omitempty"`
}

var blockName = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_]{0,39}$`)

// ValidBlocks returns an [*schema.InvalidError] for specifications that cannot be used
// together, nil for all others.
func ValidBlocks(specs []BlockSpec) error {
	taken := make(map[string]bool)
	for i := range specs {
		s := &specs[i]
		if err := s.validate(); err != nil {
			return err
		}
		names := []string{s.Name}
		if s.Kind == BlockFields {
			for _, f := range s.Fields {
				if f.List {
					names = append(names, f.Name)
				}
			}
		}
		for _, name := range names {
			// A model appends to a list by its name alone.
			if taken[strings.ToLower(name)] {
				return &schema.InvalidError{Field: "Block." + s.Name, Reason: "uses the name " + name + " of another block or list; names of blocks and of lists in them must differ"}
			}
			taken[strings.ToLower(name)] = true
		}
	}
	return nil
}

func (s *BlockSpec) validate() error {
	wrong := func(what, reason string) error {
		return &schema.InvalidError{Field: "Block." + s.Name + what, Reason: reason}
	}
	structured := s.Kind == BlockFields || s.Kind == BlockRecords
	switch {
	case !blockName.MatchString(s.Name):
		return wrong("", "has an unusable name; use up to 40 letters, digits and underscores, a letter first")
	case s.Kind.Validate() != nil:
		return wrong(".Kind", "must be text, list, fields or records")
	case !slices.Contains([]BlockWriter{HostWrites, ModelProposes, ModelWrites}, s.Writer):
		return wrong(".Writer", `must be "", "propose" or "write"`)
	case s.Tokens < 0 || s.Items < 0:
		return wrong("", "has a negative limit (0 means the default)")
	case structured != (len(s.Fields) > 0):
		return wrong(".Fields", "are for blocks of fields or records, which need some")
	case s.Kind == BlockRecords && (s.Fields[0].List || s.Fields[0].Stamp):
		return wrong(".Fields", "must begin with a text, without which a record is none")
	}
	for i, f := range s.Fields {
		switch {
		case !blockName.MatchString(f.Name) || f.Name == "id":
			return wrong("."+f.Name, "has an unusable name; use up to 40 letters, digits and underscores, a letter first, and not id")
		case slices.ContainsFunc(s.Fields[:i], func(other BlockField) bool { return other.Name == f.Name }):
			return wrong("."+f.Name, "is there twice")
		case f.Items < 0:
			return wrong("."+f.Name, "has a negative limit (0 means the default)")
		case f.Stamp && (f.List || s.Kind != BlockRecords):
			return wrong("."+f.Name, "can only hold a time in a record, and no list of them")
		}
	}
	return nil
}

func (s *BlockSpec) field(name string) *BlockField {
	for i := range s.Fields {
		if s.Fields[i].Name == name {
			return &s.Fields[i]
		}
	}
	return nil
}

// Owner returns the agent that owns the block which an agent means by the name: the
// agent itself, or "" for a block of all agents.
func (s *BlockSpec) Owner(agent string) string {
	if s.PerAgent {
		return agent
	}
	return ""
}
