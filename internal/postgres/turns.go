package postgres

import (
	"context"
	"errors"
	"sync"

	"github.com/ebbmem/ebb/internal/engine"
)

// turns lets the writes of one user that this process makes run one by one, in the order
// in which they asked. The server would do the same, but each write that waits there holds
// a connection, and the writers of one user would take all of them.
type turns struct {
	mu    sync.Mutex
	users map[[2]string][]*turn // the first of each list runs, the others wait
}

// turn is the place of one write among those of its first user.
type turn struct {
	of   *turns
	user [2]string // tenant and name
	own  chan struct{}
}

// errNotInTurn ends an attempt whose turn has not come.
var errNotInTurn = errors.New("postgres: another write of the same user runs")

// take reports whether the write can go on with a user now. If not, its turn is in the
// queue, see wait. Only the first user of a write is queued for: two writes of two users
// would wait for each other.
func (t *turn) take(tenant, name string) bool {
	if t.own != nil {
		return true
	}
	user := [2]string{tenant, name}
	t.of.mu.Lock()
	defer t.of.mu.Unlock()
	if t.of.users == nil {
		t.of.users = make(map[[2]string][]*turn)
	}
	t.user, t.own = user, make(chan struct{})
	t.of.users[user] = append(t.of.users[user], t)
	if len(t.of.users[user]) > 1 {
		return false
	}
	close(t.own)
	return true
}

// wait waits for the turn, without a connection.
func (t *turn) wait(ctx context.Context, stop <-chan struct{}) error {
	select {
	case <-t.own:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	case <-stop:
		return engine.ErrClosed
	}
}

// end gives the turn to the next write.
func (t *turn) end() {
	if t.own == nil {
		return
	}
	t.of.mu.Lock()
	defer t.of.mu.Unlock()
	list := t.of.users[t.user]
	for i, other := range list {
		if other != t {
			continue
		}
		list = append(list[:i:i], list[i+1:]...)
		if i == 0 && len(list) > 0 {
			close(list[0].own)
		}
		break
	}
	if len(list) == 0 {
		delete(t.of.users, t.user)
	} else {
		t.of.users[t.user] = list
	}
	t.own = nil
}
