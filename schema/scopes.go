package schema

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/ebbmem/ebb/internal/engine"
)

type userKey struct{ tenant, name string }

// BindTenant restricts the database to one tenant: reads and writes of other scopes
// return an [*InvalidError] from now on.
//
// Errors: [*InvalidError] if it is restricted to another tenant already.
func (db *DB) BindTenant(name string) error {
	if db.tenant.CompareAndSwap(nil, &name) || *db.tenant.Load() == name {
		return nil
	}
	return &InvalidError{Field: "tenant", Reason: "is not the one whose memory the file holds"}
}

// Tenant returns the tenant that the database is restricted to, nil for none.
func (db *DB) Tenant() *string { return db.tenant.Load() }

// Complete sets the empty tenant of a scope with a user to the tenant that the database is
// restricted to. The entries for hosts call it, so that a scope has one form below them.
func (db *DB) Complete(scope Scope) Scope {
	if tenant := db.tenant.Load(); tenant != nil && scope.Tenant == "" && scope.User != "" {
		scope.Tenant = *tenant
	}
	return scope
}

// admit validates a scope and its tenant.
func (db *DB) admit(scope Scope) error {
	if err := scope.Validate(); err != nil {
		return err
	}
	if tenant := db.tenant.Load(); tenant != nil && *tenant != scope.Tenant {
		return &InvalidError{Field: "Scope.Tenant", Reason: "is not the tenant that the file was opened for; each tenant has a file of its own here: leave it empty, or open that tenant's"}
	}
	return nil
}

type sessionKey struct {
	userID int64
	name   string
}

// scopes caches the row ids of users and sessions, which do not change until they are
// erased.
type scopes struct {
	users    *lru.Cache[userKey, int64]
	sessions *lru.Cache[sessionKey, int64]

	mu    sync.Mutex
	epoch int64 // incremented by forget
}

// maxScopes limits each cache.
const maxScopes = 4096

func newScopes() *scopes {
	users, err := lru.New[userKey, int64](maxScopes)
	if err != nil {
		panic(err) // only for a size that is not positive
	}
	sessions, err := lru.New[sessionKey, int64](maxScopes)
	if err != nil {
		panic(err)
	}
	return &scopes{users: users, sessions: sessions}
}

// since returns a function to call after the commit of a write with the ids that it
// read. It caches them unless forget was called in between.
func (c *scopes) since() func(remember func()) {
	c.mu.Lock()
	epoch := c.epoch
	c.mu.Unlock()
	return func(remember func()) {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.epoch == epoch {
			remember()
		}
	}
}

// forget clears the caches.
func (c *scopes) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.epoch++
	c.users.Purge()
	c.sessions.Purge()
}

// ForgetScopes clears the cached ids of users and sessions. A write that deletes
// or renames rows of theirs calls it.
func (tx *Tx) ForgetScopes() { tx.db.scopes.forget() }

// UserID returns the row id of the scope's user, 0 if nothing was written for them.
func (s *Snapshot) UserID(ctx context.Context, scope Scope) (int64, error) {
	if err := s.db.admit(scope); err != nil {
		return 0, err
	}
	query := "SELECT id FROM users WHERE tenant = ? AND name = ?"
	if s.file == nil {
		query = userWatermark
	}
	var id int64
	err := s.Rows(ctx, query, func(rows *engine.Rows) error {
		if err := rows.StartTexts(scope.Tenant, scope.User); err != nil {
			return err
		}
		if rows.Next() {
			if id = rows.Int64(0); s.file == nil {
				s.textEnds = &textEnds{id, rows.Int64(1), rows.Int64(2)}
			}
		}
		return rows.Err()
	})
	return id, err
}

// userWatermark selects a user with what [Snapshot.TextWatermark] returns, which most
// snapshots ask for next: a server is asked once.
const userWatermark = `SELECT id, coalesce((SELECT max(c.id) FROM chunks c WHERE c.id BETWEEN u.id << 32 AND ((u.id + 1) << 32) - 1), 0),
	coalesce((SELECT max(o.id) FROM ops o WHERE o.user_id = u.id), 0) FROM users u WHERE tenant = ? AND name = ?`

// textEnds is how far a user's text and changes go in a snapshot.
type textEnds struct{ user, chunk, op int64 }

// UserID returns the row id of the scope's user, which it creates if necessary. Only a
// write that stores what a host or a user gives may create one: background work and
// reports use [Tx.KnownUserID], or they would store an erased user's name again.
func (tx *Tx) UserID(ctx context.Context, scope Scope) (int64, error) {
	return tx.userID(ctx, scope, true)
}

// KnownUserID returns the row id of the scope's user.
//
// Errors: [ErrNotFound] if nothing was written for the user.
func (tx *Tx) KnownUserID(ctx context.Context, scope Scope) (int64, error) {
	id, err := tx.userID(ctx, scope, false)
	if err == nil && id == 0 {
		err = ErrNotFound
	}
	return id, err
}

// SameUser returns [ErrNotFound] unless userID is the row id of the scope's user. A write
// with an id that was read earlier calls it: the user may have been erased since, and may
// have come back with another id.
func (tx *Tx) SameUser(ctx context.Context, scope Scope, userID int64) error {
	id, err := tx.KnownUserID(ctx, scope)
	if err == nil && id != userID {
		err = ErrNotFound
	}
	return err
}

func (tx *Tx) userID(ctx context.Context, scope Scope, create bool) (id int64, err error) {
	if err := tx.db.admit(scope); err != nil {
		return 0, err
	}
	key := userKey{scope.Tenant, scope.User}
	if id, ok := tx.users[key]; ok {
		return id, nil
	}
	if tx.file == nil {
		return tx.enter(ctx, key, create)
	}
	if id, ok := tx.db.scopes.users.Get(key); ok {
		return id, nil
	}
	once := tx.db.scopes.since()
	err = tx.Row(ctx, "SELECT id FROM users WHERE tenant = ? AND name = ?", []any{key.tenant, key.name}, &id)
	if errors.Is(err, sql.ErrNoRows) {
		if !create {
			return 0, nil
		}
		id, err = tx.Insert(ctx, "INSERT INTO users (tenant, name, created_at) VALUES (?, ?, ?)", key.tenant, key.name, tx.Now.UnixMilli())
	}
	if err != nil {
		return 0, err
	}
	if tx.users == nil {
		tx.users = make(map[userKey]int64)
	}
	tx.users[key] = id
	tx.OnCommit(func() { once(func() { tx.db.scopes.users.Add(key, id) }) })
	return id, nil
}

// server is implemented by writes of an engine that runs those of several users at a time.
type server interface {
	// User returns the row id of a user. Other writes for the user wait until this one has
	// ended.
	User(ctx context.Context, tenant, name string, create bool) (int64, error)
	// Number returns the number of the next row of a table with numbers in order, if User
	// has returned the row's user.
	Number(table string, user int64) (number int64, ok bool)
}

// enter returns the row id of a user on a server, 0 for none unless create is set. Other
// writes for the user wait until this one has ended. Ids are not cached from one write to
// the next: another process may erase the user between them.
func (tx *Tx) enter(ctx context.Context, key userKey, create bool) (id int64, err error) {
	if id, ok := tx.users[key]; ok {
		return id, nil
	}
	server, is := tx.Tx.(server)
	if !is {
		return 0, fmt.Errorf("schema: a write of type %T", tx.Tx)
	}
	if id, err = server.User(ctx, key.tenant, key.name, create); err == nil && id != 0 {
		if tx.users == nil {
			tx.users = make(map[userKey]int64)
		}
		tx.users[key] = id
	}
	return id, err
}

// SessionID returns the row id of a user's session, which it creates if necessary; 0 for
// the empty name, which stands for no session.
func (tx *Tx) SessionID(ctx context.Context, userID int64, name string) (int64, error) {
	if name == "" {
		return 0, nil
	}
	key := sessionKey{userID, name}
	if id, ok := tx.sessions[key]; ok {
		return id, nil
	}
	// On a server, another process may have erased it: then the write fails and runs again.
	if id, ok := tx.db.scopes.sessions.Get(key); ok && !tx.again {
		return id, nil
	}
	once := tx.db.scopes.since()
	var id int64
	err := tx.Row(ctx, "SELECT id FROM sessions WHERE user_id = ? AND name = ?", []any{userID, name}, &id)
	if errors.Is(err, sql.ErrNoRows) {
		id, err = tx.Insert(ctx, "INSERT INTO sessions (user_id, name, created_at) VALUES (?, ?, ?)", userID, name, tx.Now.UnixMilli())
	}
	if err != nil {
		return 0, err
	}
	if tx.sessions == nil {
		tx.sessions = make(map[sessionKey]int64)
	}
	tx.sessions[key] = id
	tx.OnCommit(func() { once(func() { tx.db.scopes.sessions.Add(key, id) }) })
	return id, nil
}

// UserByID returns a user by row id.
//
// Errors: [ErrNotFound].
func (s *Snapshot) UserByID(ctx context.Context, id int64) (*User, error) {
	user := new(User)
	err := s.NewSelect().Model(user).Where("id = ?", id).Scan(ctx)
	return user, OrNotFound(err)
}

// Users returns all users of the file in order of creation, except erased ones.
func (s *Snapshot) Users(ctx context.Context) ([]User, error) {
	var users []User
	err := s.NewSelect().Model(&users).Where("name <> ''").Order("id").Scan(ctx)
	return users, err
}

// UsersNamed returns at most so many users with a part of their name, ignoring case, in
// order of creation: those of a tenant, or with tenant "" all.
func (s *Snapshot) UsersNamed(ctx context.Context, tenant, part string, most int) (found []User, err error) {
	part = strings.ToLower(part)
	enough := errors.New("enough")
	var u User
	err = Each(ctx, s.Query, []any{&u.ID, &u.Tenant, &u.Name, &u.CreatedAt}, func() error {
		if len(found) == most {
			return enough
		}
		if (tenant == "" || u.Tenant == tenant) && strings.Contains(strings.ToLower(u.Name), part) {
			found = append(found, u)
		}
		return nil
	}, "SELECT id, tenant, name, created_at FROM users WHERE name <> '' ORDER BY id")
	if errors.Is(err, enough) {
		err = nil
	}
	return found, err
}

// Scope returns the user's scope, without agent and session.
func (u *User) Scope() Scope { return Scope{Tenant: u.Tenant, User: u.Name} }

// SessionID returns the row id of a user's session, 0 if there is none.
func (s *Snapshot) SessionID(ctx context.Context, userID int64, name string) (int64, error) {
	var id int64
	err := s.Row(ctx, "SELECT id FROM sessions WHERE user_id = ? AND name = ?", []any{userID, name}, &id)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	return id, err
}

// Identity returns what tells a memory from any other. A copy of a file or database has the same.
func (s *Snapshot) Identity(ctx context.Context) (id string, err error) {
	err = s.Row(ctx, "SELECT id FROM identity", nil, &id)
	return id, err
}

// Zone returns the time zone of a user, or otherwise if the user has none that is known.
//
// Errors: [ErrNotFound].
func Zone(ctx context.Context, in interface {
	Row(ctx context.Context, query string, args []any, into ...any) error
}, userID int64, otherwise *time.Location) (*time.Location, error) {
	var name string
	if err := in.Row(ctx, "SELECT time_zone FROM users WHERE id = ?", []any{userID}, &name); err != nil {
		return nil, OrNotFound(err)
	}
	if zone, err := time.LoadLocation(name); err == nil && name != "" {
		return zone, nil
	}
	return otherwise, nil
}

// SetTimeZone sets the time zone of a user; "" unsets it.
//
// Errors: [*InvalidError] for a name that is not known.
func (tx *Tx) SetTimeZone(ctx context.Context, userID int64, name string) error {
	if _, err := time.LoadLocation(name); err != nil || name == "Local" { // which depends on the machine
		return &InvalidError{Field: "time zone", Reason: "is not known; use an IANA name such as Europe/Oslo"}
	}
	_, err := tx.Exec(ctx, "UPDATE users SET time_zone = ? WHERE id = ?", name, userID)
	return err
}
