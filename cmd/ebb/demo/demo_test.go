package demo

import (
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/internal/cells"
)

func TestNothingFoundIsAnError(t *testing.T) {
	d := &demo{Page: &cells.Page{W: io.Discard, Width: 80}, asked: 7, expected: 11}
	require.ErrorIs(t, d.end(), ErrNothingFound)
	d.hits = 1
	require.NoError(t, d.end())
}
