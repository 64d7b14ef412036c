// Package migrate copies a memory to another engine: from a file to a server, and back.
package migrate

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/extension/transfer"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/erase"
	"github.com/ebbmem/ebb/schema/records"
)

// Report is the result of [Run].
type Report struct {
	Users int `json:"users"` // that are in both memories now
	Known int `json:"known"` // of them, those that were there already
}

// Run copies all users of one memory to another by their exports, and compares the exports
// of both at the end of each. It also copies the receipts of erasures, and what keeps the
// messages of users from coming back who were erased entirely. What an export leaves out is not copied: vectors are made
// again, and positions of consumers are not copied. A run that was interrupted can be repeated:
// what is there already is not copied again. Nothing is to be written to either memory
// meanwhile. Open the target with [extension.Config.NoBackground].
//
// Errors: [*schema.InvalidError] if both are the same memory, or the target is a copy of a
// server's database that was made otherwise; those of
// [extension.Extension.Export] and [extension.Extension.Import];
// [extension.ErrConflict] if the export of a user is another one in the target, such as of
// a user who was in both before, or if an erasure is not finished.
func Run(ctx context.Context, from, to *extension.Extension) (r Report, err error) {
	if same, err := isSame(ctx, from.Parts().DB, to.Parts().DB); err != nil {
		return r, err
	} else if same {
		return r, &schema.InvalidError{Field: "to", Reason: "is the memory itself, or a copy of its database: " + to.Parts().DB.Path()}
	}
	users, err := from.Users(ctx)
	if err != nil {
		return r, err
	}
	for _, u := range users {
		want, err := hash(ctx, from, u.Scope())
		if err != nil {
			return r, err
		}
		got, err := hash(ctx, to, u.Scope())
		if err == nil && got == want {
			r.Users, r.Known = r.Users+1, r.Known+1
			continue
		}
		if err != nil && !errors.Is(err, extension.ErrNotFound) {
			return r, err
		}
		if err := copyUser(ctx, from, to, u.Scope()); err != nil {
			return r, fmt.Errorf("user %s: %w", u.Name, err)
		}
		if got, err = hash(ctx, to, u.Scope()); err != nil {
			return r, err
		}
		if got != want {
			return r, fmt.Errorf("user %s: the memories differ after the copy: %w", u.Name, extension.ErrConflict)
		}
		r.Users++
	}
	return r, erase.Copy(ctx, from.Parts().DB, to.Parts().DB)
}

// isSame reports whether two memories are one. Two servers may be shown alike, without the
// password, and one in two ways; the copy of a file has its identity.
func isSame(ctx context.Context, a, b *schema.DB) (bool, error) {
	var ids [2]string
	for i, db := range [...]*schema.DB{a, b} {
		id, err := schema.Get(ctx, db, func(ctx context.Context, s *schema.Snapshot) (string, error) { return s.Identity(ctx) })
		if err != nil {
			return false, err
		}
		ids[i] = id
	}
	if ids[0] != ids[1] || a.OnServer() || b.OnServer() {
		return ids[0] == ids[1], nil
	}
	infoA, errA := os.Stat(a.Path())
	infoB, errB := os.Stat(b.Path())
	return errA != nil || errB != nil || os.SameFile(infoA, infoB), nil
}

// hash returns the hash of a user's export, without the time at which it was written.
func hash(ctx context.Context, x *extension.Extension, scope extension.Scope) (sum [sha256.Size]byte, err error) {
	h := sha256.New()
	err = exported(ctx, x, scope, func(r io.Reader) error {
		lines := bufio.NewReader(r)
		first, err := lines.ReadBytes('\n')
		if err != nil {
			return err
		}
		var l records.Line
		if err := json.Unmarshal(first, &l); err != nil {
			return err
		}
		l.Header.WrittenAt = schema.Time{}
		_, err = lines.WriteTo(h)
		return errors.Join(err, json.NewEncoder(h).Encode(l))
	})
	return [sha256.Size]byte(h.Sum(nil)), err
}

func copyUser(ctx context.Context, from, to *extension.Extension, scope extension.Scope) error {
	return exported(ctx, from, scope, func(r io.Reader) error {
		_, err := to.Import(ctx, r, transfer.ImportOptions{Restore: true})
		return err
	})
}

// exported calls read with a user's export.
func exported(ctx context.Context, x *extension.Extension, scope extension.Scope, read func(io.Reader) error) error {
	r, w := io.Pipe()
	done := make(chan error, 1)
	go func() {
		_, err := x.Export(ctx, w, scope)
		done <- errors.Join(err, w.CloseWithError(err))
	}()
	err := read(r)
	_ = r.CloseWithError(err) // ends the export
	if err != nil {
		<-done
		return err
	}
	return <-done
}
