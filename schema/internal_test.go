package schema

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Waiting is how many writes are queued.
func (db *DB) Waiting() int { return len(db.queue) }

// The integrity check lists pages that the disk did not give beside those that
// are damaged: the file is not damaged by a disk that fails.
func TestAPageThatCannotBeReadIsNoDamage(t *testing.T) {
	require.Equal(t, ErrIO, damage([]string{"*** in database main ***\nTree 79 page 79: unable to get the page. error code=266"}))
	require.Equal(t, ErrCorrupt, damage([]string{"Tree 31 page 94: btreeInitPage() returns error code 11"}))
	require.Equal(t, ErrCorrupt, damage([]string{"row 3 missing from index memories_scope"}))
}
