package postgres

import (
	"database/sql/driver"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRewrite(t *testing.T) {
	for _, c := range []struct {
		query string
		args  []driver.Value
		want  string
		kept  []driver.Value
	}{
		{"SELECT id FROM users WHERE name = ? AND id > ?", []driver.Value{"a", int64(1)}, "SELECT id FROM users WHERE name = $1::text AND id > $2::bigint", []driver.Value{"a", int64(1)}},
		{"SELECT ?2, ?1, ?2", []driver.Value{int64(1), 2.5}, "SELECT $1::double precision, $2::bigint, $1::double precision", []driver.Value{2.5, int64(1)}},
		{"VALUES (?, ?)", []driver.Value{nil, []byte("b")}, "VALUES (NULL, $1::bytea)", []driver.Value{[]byte("b")}},
		{"SELECT '?', \"a?\" FROM t WHERE a IS NOT ?", []driver.Value{int64(1)}, "SELECT '?', \"a?\" FROM t WHERE a IS DISTINCT FROM $1::bigint", []driver.Value{int64(1)}},
		{"SELECT 'it''s + x, CROSS JOIN y ON' WHERE +m.kind = 1", nil, "SELECT 'it''s + x, CROSS JOIN y ON' WHERE m.kind = 1", nil},
		{"FROM json_each(?) j CROSS JOIN memories m ON m.id = 1", []driver.Value{"[]"}, "FROM json_each($1::text) j JOIN memories m ON m.id = 1", []driver.Value{"[]"}},
		{"SELECT CAST(j.value AS BIGINT) FROM json_each(?1) j JOIN t ON id = CAST(j.value AS BIGINT)", []driver.Value{"[]"}, "SELECT CAST(j.value AS BIGINT) FROM unnest(ebb_list($1::text)) AS j (value) JOIN t ON id = CAST(j.value AS BIGINT)", []driver.Value{"[]"}},
		{"WHERE id IN (SELECT CAST(value AS BIGINT) FROM json_each(?))", []driver.Value{"[]"}, "WHERE id IN (SELECT unnest(ebb_list($1::text)))", []driver.Value{"[]"}},
		{"WHERE a IS 12 AND b IS NOT -3 AND c IS 'x' AND d IS NULL", nil, "WHERE a IS NOT DISTINCT FROM 12 AND b IS DISTINCT FROM -3 AND c IS NOT DISTINCT FROM 'x' AND d IS NULL", nil},
		{"WHERE topic GLOB ? AND run_id IS ?", []driver.Value{"user.*", nil}, "WHERE topic LIKE ebb_glob($1::text) AND run_id IS NOT DISTINCT FROM NULL", []driver.Value{"user.*"}},
	} {
		args := make([]driver.NamedValue, len(c.args))
		for i, v := range c.args {
			args[i] = driver.NamedValue{Ordinal: i + 1, Value: v}
		}
		query, named := rewrite(c.query, args)
		require.Equal(t, c.want, query)
		var kept []driver.Value
		for i, arg := range named {
			require.Equal(t, i+1, arg.Ordinal)
			kept = append(kept, arg.Value)
		}
		require.Equal(t, c.kept, kept, c.query)
	}
}
