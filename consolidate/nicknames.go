package consolidate

import (
	_ "embed"
	"slices"
	"strings"
	"sync"

	"github.com/ebbmem/ebb/internal/text"
)

//go:embed nicknames.txt
var nicknameLines string

// nicknames maps a folded given name to the forms of the same name, without
// itself.
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

// otherForms are the names that may be short or full forms of a folded given
// name: "vitya" has viktor and vitaly.
func otherForms(given string) []string { return nicknames()[given] }

func isGivenName(folded string) bool { return len(nicknames()[folded]) > 0 }
