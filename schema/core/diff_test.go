package core_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/schema/core"
)

func TestDiff(t *testing.T) {
	for want, c := range map[string]core.BlockChange{
		"- awareness: a|+ awareness: c|- quirks: I hum.|+ quirks: I like lists.": {
			Kind: core.BlockFields, Content: `{"awareness":["a","b"],"quirks":"I hum.","facts":["x: y"]}`, NewContent: `{"awareness":["b","c"],"quirks":"I like lists.","facts":["x: y"]}`,
		},
		"+ The gate is green":        {Kind: core.BlockList, Content: "", NewContent: `["The gate is green"]`},
		"- old text|+ new text":      {Kind: core.BlockText, Content: "old\ntext", NewContent: "new text"},
		`+ {"id":"1","what":"a: b"}`: {Kind: core.BlockRecords, Content: `[]`, NewContent: `[{"id":"1","what":"a: b"}]`},
		"":                           {Kind: core.BlockList, Content: `["a"]`, NewContent: `["a"]`},
	} {
		got := ""
		for i, line := range c.Diff() {
			if i > 0 {
				got += "|"
			}
			got += line
		}
		require.Equal(t, want, got)
	}
	require.Nil(t, (&core.BlockChange{Kind: core.BlockList, Content: "{", NewContent: `["a"]`}).Diff())
}
