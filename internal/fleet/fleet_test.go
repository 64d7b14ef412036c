package fleet

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	broker "github.com/nats-io/nats.go/jetstream"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/extension/doctor"
	"github.com/ebbmem/ebb/internal/pgtest"
	"github.com/ebbmem/ebb/internal/racing"
	"github.com/ebbmem/ebb/schema"
)

var (
	duration = flag.Duration("for", 0, "how long the hosts work; by default 6 s where tests run on a server, and not at all elsewhere")
	users    = flag.Int("users", 24, "how many users they work for")
	hosts    = flag.Int("hosts", 3, "how many hosts there are")
	pace     = flag.Duration("pace", 40*time.Millisecond, "mean wait of a worker between two operations; a host has 6")
	faults   = flag.Duration("faults", 400*time.Millisecond, "mean wait between two kills")
	day      = flag.Duration("day", 3*time.Second, "how long a day takes")
)

// The test binary is also the hosts and the broker.
func TestMain(m *testing.M) {
	if role := os.Getenv("EBB_FLEET"); role != "" {
		if err := child(role, os.Getenv("EBB_PLAN")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// process is a child that is started again when it is killed.
type process struct {
	role  string
	plan  plan
	lives int
	hear  func(l line) // nil for the broker

	cmd   *exec.Cmd
	input io.Closer
	heard chan struct{} // closed at the end of its output
}

func (p *process) start(t *testing.T) {
	p.lives++
	life := p.plan
	life.Name = fmt.Sprintf("%s.%d", p.plan.Name, p.lives)
	given, err := json.Marshal(life)
	require.NoError(t, err)
	p.cmd = exec.Command(os.Args[0])
	p.cmd.Env = append(os.Environ(), "EBB_FLEET="+p.role, "EBB_PLAN="+string(given))
	p.cmd.Stderr = os.Stderr
	input, err := p.cmd.StdinPipe()
	require.NoError(t, err)
	p.input = input
	output, err := p.cmd.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, p.cmd.Start())
	p.heard = make(chan struct{})
	go func() {
		defer close(p.heard)
		lines := bufio.NewScanner(output)
		lines.Buffer(nil, 1<<24)
		for lines.Scan() {
			var l line
			if json.Unmarshal(lines.Bytes(), &l) == nil && p.hear != nil {
				p.hear(l)
			}
		}
	}()
}

func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	<-p.heard
	_ = p.cmd.Wait() // reports the kill
}

// proxy passes connections on to a socket, and cuts them.
type proxy struct {
	listener net.Listener
	away     atomic.Bool // new connections are closed

	mu    sync.Mutex
	conns map[*net.TCPConn]bool
}

func newProxy(t *testing.T, socket string) *proxy {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	p := &proxy{listener: listener, conns: make(map[*net.TCPConn]bool)}
	go func() {
		for {
			accepted, err := listener.Accept()
			if err != nil {
				return
			}
			conn := accepted.(*net.TCPConn)
			if p.away.Load() {
				_ = conn.Close()
				continue
			}
			server, err := net.Dial("unix", socket)
			if err != nil {
				_ = conn.Close()
				continue
			}
			p.mu.Lock()
			p.conns[conn] = true
			p.mu.Unlock()
			go func() {
				_, _ = io.Copy(server, conn)
				_ = server.Close()
			}()
			go func() {
				_, _ = io.Copy(conn, server)
				_ = conn.Close()
				p.mu.Lock()
				delete(p.conns, conn)
				p.mu.Unlock()
			}()
		}
	}()
	return p
}

// cut resets half of the connections.
func (p *proxy) cut() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for conn := range p.conns {
		if rand.IntN(2) == 0 {
			_ = conn.SetLinger(0)
			_ = conn.Close()
		}
	}
}

// account is what the hosts reported.
type account struct {
	mu     sync.Mutex
	ops    map[string]map[int64]Op // by host and number
	errors map[string]int
	fatal  []string
	undos  int
}

func (a *account) hear(host string) func(line) {
	return func(l line) {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.undos += l.Undos
		switch {
		case l.Op != nil:
			if a.ops[l.Op.Host] == nil {
				a.ops[l.Op.Host] = make(map[int64]Op)
			}
			a.ops[l.Op.Host][l.N] = *l.Op
		case l.Fatal:
			a.fatal = append(a.fatal, host+": "+l.Error)
		case l.Error != "":
			what, _, _ := strings.Cut(l.Error, " ")
			a.errors[what]++
		}
	}
}

// A host stores a message that another one has stored meanwhile, and does not reach the
// server in its first attempts, as while the server starts.
func TestPublishAgainWhileTheServerIsAway(t *testing.T) {
	if !pgtest.Chosen() {
		t.Skip("left to .ci/run postgres")
	}
	ctx, cluster := t.Context(), pgtest.NewCluster(t)
	way := newProxy(t, cluster.Folder()+"/.s.PGSQL.5432")
	open := func(dsn string) *extension.Extension {
		x, err := extension.Open(ctx, dsn, &extension.Config{NoClaims: true})
		require.NoError(t, err)
		t.Cleanup(func() { require.NoError(t, x.Close(context.Background())) })
		return x
	}
	x, e := open(fmt.Sprintf("postgres://postgres@%s/postgres?sslmode=disable", way.listener.Addr())), message(Op{User: "u", ID: "1"}, "I like pears.")
	require.NoError(t, open(cluster.Named("postgres")).Bus().Publish(ctx, e))

	var others sync.WaitGroup // hold the connections that are open
	held, end := make(chan struct{}), make(chan struct{})
	for range 3 {
		others.Go(func() {
			assert.NoError(t, x.Parts().DB.Write(ctx, func(context.Context, *schema.Tx) error {
				held <- struct{}{}
				<-end
				return nil
			}))
		})
		<-held
	}
	way.away.Store(true)
	time.AfterFunc(200*time.Millisecond, func() { way.away.Store(false) })
	require.NoError(t, x.Bus().Publish(ctx, e))
	close(end)
	others.Wait()

	for range 20 {
		way.cut()
	}
	log, err := read(ctx, x, "u")
	for expected(err) { // a read whose connection was cut fails, and the next one is made anew
		log, err = read(ctx, x, "u")
	}
	require.NoError(t, err)
	require.Equal(t, []string{"1"}, log)
}

// Three hosts on one database, with a broker: hosts, the database server and the broker
// are killed at random moments, and connections are cut, under a load of many users.
// Acknowledged messages are neither lost nor doubled nor out of order, whichever host is
// asked; each night runs once; undoing is exact.
func TestKilledFleet(t *testing.T) {
	if *duration == 0 {
		if !pgtest.Chosen() || racing.On {
			t.Skip("left to .ci/run postgres")
		}
		*duration = 6 * time.Second
	}
	began, ctx := time.Now(), t.Context()
	cluster := pgtest.NewCluster(t)
	require.NoError(t, pgtest.Exec(cluster.DSN, "CREATE DATABASE memory"))
	way := newProxy(t, cluster.Folder()+"/.s.PGSQL.5432")
	common := plan{
		DSN: fmt.Sprintf("postgres://postgres@%s/memory?sslmode=disable", way.listener.Addr()), Broker: freeAddress(t), Folder: t.TempDir(),
		Users: *users, Workers: 6, Pace: *pace, Epoch: time.Now(), Day: *day,
	}
	nest := &process{role: "broker", plan: common}
	nest.start(t)
	t.Cleanup(func() { nest.kill() })
	js, err := connect(common.Broker)
	require.NoError(t, err)
	t.Cleanup(js.Conn().Close)
	for name, subject := range map[string]string{in: "in.>", out: "ebb.>", dead: "dead.>"} {
		require.Eventually(t, func() bool {
			_, err := js.CreateOrUpdateStream(ctx, broker.StreamConfig{Name: name, Subjects: []string{subject}, Duplicates: time.Hour})
			return err == nil
		}, 30*time.Second, 20*time.Millisecond)
	}

	a := &account{ops: make(map[string]map[int64]Op), errors: make(map[string]int)}
	t.Cleanup(func() {
		if t.Failed() {
			t.Log(a.errors, a.fatal)
		}
	})
	fleet := make([]*process, *hosts)
	for i := range fleet {
		p := common
		p.Name = string(rune('a' + i))
		fleet[i] = &process{role: "host", plan: p, hear: a.hear(p.Name)}
		fleet[i].start(t)
	}
	t.Cleanup(func() {
		for _, h := range fleet {
			h.kill()
		}
	})

	// Another program sends messages of some users to the stream.
	var streaming atomic.Bool
	streaming.Store(true)
	streamed, streamedAll := make(map[string][]string), make(chan struct{})
	go func() {
		defer close(streamedAll)
		for i := 0; streaming.Load(); i++ {
			o := Op{User: fmt.Sprint("s", i%5), ID: fmt.Sprintf("stream%07d", i)}
			body, err := json.Marshal(message(o, "I like "+o.ID+"."))
			if err != nil {
				return
			}
			for {
				_, err := js.PublishMsg(context.Background(), &nats.Msg{Subject: "in.x", Data: body, Header: nats.Header{"Nats-Msg-Id": {o.ID}}})
				if err == nil {
					break
				}
				time.Sleep(20 * time.Millisecond)
			}
			streamed[o.User] = append(streamed[o.User], o.ID)
			time.Sleep(*pace)
		}
	}()

	require.Eventually(t, func() bool { // all are open, or a kill would only hit the start
		a.mu.Lock()
		defer a.mu.Unlock()
		return len(a.ops) == len(fleet) || len(a.fatal) > 0
	}, time.Minute, 10*time.Millisecond)
	require.Empty(t, a.fatal)
	kinds, counts := []string{"host", "connections", "server", "broker", "host", "connections"}, make(map[string]int)
	for i, end := 0, time.Now().Add(*duration); time.Now().Before(end); i++ {
		time.Sleep(*faults/2 + rand.N(*faults))
		kind := kinds[i%len(kinds)]
		counts[kind]++
		switch kind {
		case "host":
			h := fleet[rand.IntN(len(fleet))]
			h.kill()
			h.start(t)
		case "connections":
			way.cut()
		case "server":
			require.NoError(t, cluster.Restart())
		case "broker":
			nest.kill()
			nest.start(t)
		}
	}
	streaming.Store(false)
	<-streamedAll
	for _, h := range fleet {
		h.kill()
	}
	require.Empty(t, a.fatal)

	// One host goes on alone until nothing is left to do.
	x, err := extension.Open(ctx, common.DSN, common.config())
	require.NoError(t, err)
	inbox, outbox, err := bridges(x, common.Broker)
	require.NoError(t, err)
	final := make(map[string][]string)
	require.Eventually(t, func() bool { // the stream is stored
		consumer, err := js.Consumer(ctx, in, "ebb")
		if err != nil {
			return false
		}
		info, err := consumer.Info(ctx)
		return err == nil && info.NumPending == 0 && info.NumAckPending == 0
	}, time.Minute, 50*time.Millisecond)
	require.NoError(t, x.WaitIdle(ctx))
	for {
		h, err := x.Health(ctx)
		require.NoError(t, err)
		if h.OpenErasures == 0 {
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	if nights(t, x) == 0 { // of few users in a short time each may have been cut off
		require.NoError(t, x.RunDueNights(ctx))
		require.NoError(t, x.WaitIdle(ctx))
	}

	byUser, n, pending := make(map[string][]Op), 0, 0
	for _, ops := range a.ops {
		for _, o := range ops {
			byUser[o.User] = append(byUser[o.User], o)
			if n++; o.End == 0 {
				pending++
			}
		}
	}
	for user, ids := range streamed {
		for _, id := range ids {
			byUser[user] = append(byUser[user], Op{Kind: Append, User: user, ID: id, Host: "stream"})
		}
	}
	erased := make(map[string]bool)
	for user, ops := range byUser {
		final[user], err = read(ctx, x, user)
		require.NoError(t, err)
		assert.Empty(t, Check(ops, final[user]), user)
		for _, o := range ops {
			if o.Kind == Erase {
				erased[o.ID] = true
			}
		}
	}
	for user, ids := range streamed {
		require.Equal(t, ids, final[user], "stored once, in the order of the stream")
	}
	letters, err := js.Stream(ctx, dead)
	require.NoError(t, err)
	require.Zero(t, letters.CachedInfo().State.Msgs)
	reported(t, js, final, erased)
	look(t, x, final)
	done := nights(t, x)
	require.Positive(t, done)

	for _, user := range []string{"undone-a", "undone-b", "u1", "u2", "u3"} {
		scope, o := extension.Scope{User: user, Session: "s"}, Op{User: user, ID: "last" + user}
		require.NoError(t, x.Bus().Publish(ctx, message(o, "I like "+o.ID+".")))
		require.NoError(t, x.WaitIdle(ctx)) // what the message states is a run too, and one that comes meanwhile leaves nothing to compare
		for compared := false; !compared; { // a night that was cut off goes on first
			compared, err = undone(ctx, x, scope)
			require.NoError(t, err)
		}
		a.undos++
	}
	require.NoError(t, inbox.Close(ctx))
	require.NoError(t, outbox.Close(ctx))
	require.NoError(t, x.Close(ctx))
	d, err := doctor.Diagnose(ctx, common.DSN, extension.Key{})
	require.NoError(t, err)
	require.True(t, d.Healthy, "%v", d.Checks)
	t.Logf("%d operations of %d users, %d of them cut off, %d messages from the stream; killed: %v; %d nights; %d undos compared; errors on the way: %v (%s)",
		n, len(byUser), pending, len(streamed)*len(streamed["s0"]), counts, done, a.undos, a.errors, time.Since(began).Round(time.Second))
}

// freeAddress is an address on this machine that no program listens on.
func freeAddress(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	return l.Addr().String()
}

// reported compares the stream of reports with the memory: each message was reported
// once, in the order of its user.
func reported(t *testing.T, js broker.JetStream, final map[string][]string, erased map[string]bool) {
	t.Helper()
	ctx := t.Context()
	stream, err := js.Stream(ctx, out)
	require.NoError(t, err)
	consumer, err := stream.OrderedConsumer(ctx, broker.OrderedConsumerConfig{})
	require.NoError(t, err)
	reports := make(map[string][]string)
	for left := stream.CachedInfo().State.Msgs; left > 0; left-- {
		msg, err := consumer.Next()
		require.NoError(t, err)
		var e eventbus.Event
		require.NoError(t, json.Unmarshal(msg.Data(), &e))
		var s eventbus.Stored
		require.NoError(t, e.Decode(&s))
		if s.Kind == "episode" && !erased[s.EventID] {
			reports[e.Scope.User] = append(reports[e.Scope.User], s.EventID)
		}
	}
	for user, ids := range final {
		kept := slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return erased[id] })
		require.Equal(t, kept, reports[user], "reported once, in order, of %s", user)
	}
}

// nights is how many nights ran.
func nights(t *testing.T, x *extension.Extension) (n int) {
	t.Helper()
	require.NoError(t, x.Parts().DB.Read(t.Context(), func(ctx context.Context, s *schema.Snapshot) error {
		return s.Row(ctx, "SELECT count(*) FROM runs WHERE cause = 'night' AND state = 'done'", nil, &n)
	}))
	return n
}

// look compares what was made of the messages with them.
func look(t *testing.T, x *extension.Extension, final map[string][]string) {
	t.Helper()
	require.NoError(t, x.Parts().DB.Read(t.Context(), func(ctx context.Context, s *schema.Snapshot) error {
		episodes, err := schema.Column[string](ctx, s.Query, `SELECT u.name || ' ' || e.id || ' ' || count(m.id) || ' ' || count(c.id) FROM events e JOIN users u ON u.id = e.user_id
			LEFT JOIN memories m ON m.event_seq = e.seq LEFT JOIN chunks c ON c.memory_id = m.id WHERE e.topic = 'user.message' GROUP BY u.name, e.id`)
		require.NoError(t, err)
		var want []string
		for user, ids := range final {
			for _, id := range ids {
				want = append(want, user+" "+id+" 1 1")
			}
		}
		slices.Sort(want)
		slices.Sort(episodes)
		require.Equal(t, want, episodes, "one memory of each message")
		twice, err := schema.Column[string](ctx, s.Query, `SELECT user_id || ' ' || content FROM memories WHERE kind <> 'episode' AND state = 'active' GROUP BY user_id, content HAVING count(*) > 1`)
		require.NoError(t, err)
		require.Empty(t, twice, "claims that two nights made")
		twice, err = schema.Column[string](ctx, s.Query, `SELECT user_id || ' ' || local_day FROM runs WHERE cause = 'night' AND state = 'done' GROUP BY user_id, local_day HAVING count(*) > 1`)
		require.NoError(t, err)
		require.Empty(t, twice, "nights that ran twice")
		return err
	}))
}
