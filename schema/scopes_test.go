package schema_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/schema"
)

func TestUsersNamed(t *testing.T) {
	db := open(t)
	require.NoError(t, db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
		for i, name := range []string{"Ödön", "ada", "Adam", "bob"} {
			if _, err := tx.UserID(ctx, schema.Scope{Tenant: fmt.Sprint("t", i), User: name}); err != nil {
				return err
			}
		}
		return nil
	}))
	for part, want := range map[string][]string{"": {"Ödön", "ada"}, "ADA": {"ada", "Adam"}, "ö": {"Ödön"}, "Ö": {"Ödön"}, "x": nil} {
		var names []string
		require.NoError(t, db.Read(t.Context(), func(ctx context.Context, s *schema.Snapshot) error {
			users, err := s.UsersNamed(ctx, "", part, 2)
			for _, u := range users {
				require.NotZero(t, u.ID)
				require.NotEmpty(t, u.Tenant)
				require.False(t, u.CreatedAt.IsZero())
				names = append(names, u.Name)
			}
			return err
		}))
		require.Equal(t, want, names, part)
	}
	require.NoError(t, db.Read(t.Context(), func(ctx context.Context, s *schema.Snapshot) error {
		users, err := s.UsersNamed(ctx, "t2", "ada", 1)
		require.Len(t, users, 1)
		require.Equal(t, "Adam", users[0].Name)
		return err
	}))
}
