// Package postgres keeps memories in PostgreSQL. It implements [engine.DB] with pgx,
// through database/sql, which bun builds on.
//
// A write is one transaction at READ COMMITTED. Writes of one user run one by one,
// writes of different users side by side; how, and how rows are numbered so that no
// reader misses one, is in schema/migrations/postgres. A write that another one got in
// the way of runs again, like one that lost its connection before the commit. A read is
// a snapshot at REPEATABLE READ.
//
// Statements are written as SQLite reads them; [rewrite] translates the rest.
package postgres
