package names

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"github.com/ebbmem/ebb/internal/text"
)

//go:embed nicknames.txt
var nicknameLines string

// nicknames maps each folded given name to the other forms of the same name.
var nicknames = sync.OnceValue(func() map[string][]string {
	table := make(map[string][]string)
	for line := range strings.Lines(nicknameLines) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		forms := strings.Fields(text.Fold(line))
		for _, form := range forms {
			for _, other := range forms {
				if other != form && !slices.Contains(table[form], other) {
					table[form] = append(table[form], other)
				}
			}
		}
	}
	return table
})

// OtherForms returns the names that may be short or full forms of a folded
// given name: viktor and vitaly for "vitya". The caller must not change the
// result.
func OtherForms(given string) []string { return nicknames()[given] }

// WithForms returns a folded given name and its other forms.
func WithForms(given string) []string { return append([]string{given}, nicknames()[given]...) }

// IsGiven reports whether a folded word is a known given name.
func IsGiven(folded string) bool { return len(nicknames()[folded]) > 0 }
