package sqlite

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The integrity check lists pages that could not be read beside damaged ones. A
// failing disk must not be reported as a damaged file.
func TestUnreadablePageIsNotDamage(t *testing.T) {
	require.Equal(t, ErrIO, IntegrityError([]string{"*** in database main ***\nTree 79 page 79: unable to get the page. error code=266"}))
	require.Equal(t, ErrCorrupt, IntegrityError([]string{"Tree 31 page 94: btreeInitPage() returns error code 11"}))
	require.Equal(t, ErrCorrupt, IntegrityError([]string{"row 3 missing from index memories_scope"}))
}
