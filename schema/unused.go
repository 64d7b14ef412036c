package schema

// UnusedID is the SQL of an id for a new row of entities, proposals, gaps or blocks:
// one that neither a row has nor the audit speaks of. SQLite gives the number of
// a deleted row to the next one, which may be another user's, and undoing what
// was done to the first would then be done to the second.
func UnusedID(table string) string {
	return "(SELECT 1 + max(coalesce((SELECT max(id) FROM " + table + "), 0), coalesce((SELECT max(record_id) FROM ops WHERE record = '" + table + "'), 0)))"
}
