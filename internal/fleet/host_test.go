package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	broker "github.com/nats-io/nats.go/jetstream"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/eventbus/jetstream"
	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/internal/llmtest"
	_ "github.com/ebbmem/ebb/postgres" // the engine
	"github.com/ebbmem/ebb/schema"
)

// plan is what a child is to do.
type plan struct {
	Name    string // of this life of the host
	DSN     string
	Broker  string // its address
	Folder  string // the broker's
	Users   int
	Workers int
	Pace    time.Duration // mean wait of a worker between two operations
	Epoch   time.Time     // when the fleet's first day began
	Day     time.Duration // how long a day takes
}

// line is what a host reports: an operation that began or that was acknowledged, or what
// went wrong.
type line struct {
	N     int64  `json:"n,omitempty"`
	Op    *Op    `json:"op,omitempty"`
	Error string `json:"error,omitempty"`
	Fatal bool   `json:"fatal,omitempty"` // not explained by what is killed
	Undos int    `json:"undos,omitempty"` // compared
}

// start is the local day on which the fleet begins to work.
var start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// now is the fleet's time: days are short.
func (p plan) now() time.Time {
	return start.Add(time.Duration(float64(time.Since(p.Epoch)) * float64(24*time.Hour) / float64(p.Day)))
}

// config is that of every host.
func (p plan) config() *extension.Config {
	return &extension.Config{
		Model: llmtest.Model(likes), Now: p.now, Location: time.UTC, NoClaims: true, Night: extension.NightConfig{NoSchedule: true},
		Hooks: extension.Hooks{OnError: func(string, error) {}},
	}
}

// likes answers as a model that finds in "I like X." that the user likes X.
func likes(prompt string) string {
	facts, pairs := []any{}, []any{}
	for text := range strings.Lines(prompt) {
		var l struct {
			M, Text string
			Pair    int
		}
		if !strings.HasPrefix(text, "{") || json.Unmarshal([]byte(text), &l) != nil {
			continue
		}
		if l.Pair > 0 {
			pairs = append(pairs, map[string]any{"pair": l.Pair, "relation": "compatible", "why": "one can like both"})
		}
		_, word, found := strings.Cut(l.Text, "I like ")
		if word, _, _ = strings.Cut(word, "."); found && l.M != "" {
			facts = append(facts, map[string]any{
				"text": "The user likes " + word, "kind": "fact", "subject": word, "predicate": "liked_by", "object": "the user", "type": "state", "when": "",
				"confidence": 0.9, "importance": 5, "sources": []string{l.M}, "quote": "I like " + word,
			})
		}
	}
	answer := map[string]any{"questions": []any{}, "summaries": []any{}, "insights": []any{}, "pairs": pairs}
	if strings.Contains(prompt, "write down what will still matter") {
		answer = map[string]any{"facts": facts}
	}
	return llmtest.Encode(answer)
}

// child runs the process that a plan is for, until it is killed or its input ends.
func child(role, given string) error {
	var p plan
	if err := json.Unmarshal([]byte(given), &p); err != nil {
		return err
	}
	go func() { // end with the parent
		_, _ = os.Stdin.Read(make([]byte, 1))
		os.Exit(0)
	}()
	if role == "broker" {
		return serve(p)
	}
	h := &host{plan: p}
	h.run()
	return nil
}

func serve(p plan) error {
	name, port := "", 0
	if _, err := fmt.Sscanf(strings.ReplaceAll(p.Broker, ":", " "), "%s %d", &name, &port); err != nil {
		return err
	}
	s, err := server.NewServer(&server.Options{
		ServerName: "nest", Host: name, Port: port, JetStream: true, StoreDir: p.Folder, SyncAlways: true, NoSigs: true, NoLog: true,
		JetStreamMaxMemory: 1 << 24, JetStreamMaxStore: 1 << 30,
	})
	if err != nil {
		return err
	}
	s.Start()
	s.WaitForShutdown()
	return nil
}

// connect connects with the broker, now or later.
func connect(address string) (broker.JetStream, error) {
	conn, err := nats.Connect("nats://"+address, nats.RetryOnFailedConnect(true), nats.MaxReconnects(-1), nats.ReconnectWait(20*time.Millisecond),
		nats.ReconnectJitter(0, 0), nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}))
	if err != nil {
		return nil, err
	}
	return broker.New(conn)
}

const (
	in   = "IN"
	out  = "OUT"
	dead = "DEAD"
)

// bridges connects a host with the broker.
func bridges(x *extension.Extension, address string) (*jetstream.Inbox, *jetstream.Outbox, error) {
	js, err := connect(address)
	if err != nil {
		return nil, nil, err
	}
	backoff := func(int) time.Duration { return 50 * time.Millisecond }
	outbox, err := jetstream.NewOutbox(context.Background(), x.Bus(), js, jetstream.OutboxOptions{Topics: []string{eventbus.TopicMemoryStored}, FromStart: true, Backoff: backoff})
	if err != nil {
		return nil, nil, err
	}
	inbox, err := jetstream.NewInbox(x.Bus(), js, jetstream.InboxOptions{
		Stream: in, DeadLetter: "dead.inbox", Host: true, Accept: jetstream.AnyUser, AckWait: time.Second, Backoff: backoff,
	})
	return inbox, outbox, err
}

// host is a process that works for all users.
type host struct {
	plan

	x     *extension.Extension
	mu    sync.Mutex
	lines atomic.Int64
}

func (h *host) say(l line) {
	text, err := json.Marshal(l)
	if err != nil {
		panic(err)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	_, _ = os.Stdout.Write(append(text, '\n')) // one write, so it is whole
}

// expected reports whether an error is one of what is killed and restarted meanwhile.
func expected(err error) bool {
	for _, known := range []error{extension.ErrIO, extension.ErrBusy, extension.ErrConflict, context.DeadlineExceeded} {
		if errors.Is(err, known) {
			return true
		}
	}
	return false
}

// fault reports an error. One that nothing explains fails the test.
func (h *host) fault(what string, err error) {
	if err != nil {
		h.say(line{Error: what + ": " + err.Error(), Fatal: !expected(err)})
	}
}

// do reports an operation and does it.
func (h *host) do(o Op, f func(o *Op) error) bool {
	n := h.lines.Add(1)
	o.Host, o.Begin = h.Name, time.Now().UnixNano()
	h.say(line{N: n, Op: &o})
	if err := f(&o); err != nil {
		h.fault(o.String(), err)
		return false
	}
	o.End = time.Now().UnixNano()
	h.say(line{N: n, Op: &o})
	return true
}

func (h *host) run() {
	for {
		x, err := extension.Open(context.Background(), h.DSN, h.config())
		if err == nil {
			h.x = x
			break
		}
		h.fault("open", err)
		time.Sleep(50 * time.Millisecond)
	}
	for {
		_, _, err := bridges(h.x, h.Broker)
		if err == nil {
			break
		}
		h.fault("bridges", err)
		time.Sleep(50 * time.Millisecond)
	}
	for worker := range h.Workers {
		go h.work(worker)
	}
	go h.undo()
	for {
		h.fault("nights", h.x.RunDueNights(context.Background()))
		time.Sleep(h.Day / 8)
	}
}

func message(o Op, text string) eventbus.Event {
	e := eventbus.UserMessage(extension.Scope{User: o.User, Session: "s"}, text)
	e.ID = o.ID
	return e
}

// publish publishes a message until that is acknowledged: again with its id after an
// error, since it is not known whether it was stored.
func (h *host) publish(o Op, text string) bool {
	return h.do(o, func(*Op) error {
		for {
			err := h.x.Bus().Publish(context.Background(), message(o, text))
			if err == nil || !expected(err) {
				return err
			}
			h.fault(o.String(), err)
			time.Sleep(20 * time.Millisecond)
		}
	})
}

// read returns the ids of a user's messages in the order of their numbers.
func read(ctx context.Context, x *extension.Extension, user string) (log []string, err error) {
	err = x.Parts().DB.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		id, err := s.UserID(ctx, extension.Scope{User: user})
		if err != nil || id == 0 {
			return err
		}
		log, err = schema.Column[string](ctx, s.Query, "SELECT id FROM events WHERE user_id = ? AND topic = 'user.message' ORDER BY seq", id)
		return err
	})
	return log, err
}

func (h *host) work(worker int) {
	ctx := context.Background()
	var known []Op // messages that this worker has published or read
	for i := 0; ; i++ {
		time.Sleep(rand.N(2 * h.Pace))
		user := fmt.Sprint("u", rand.IntN(h.Users))
		switch dice := rand.IntN(100); {
		case dice < 45 || len(known) == 0:
			o := Op{Kind: Append, User: user, ID: fmt.Sprint(h.Name, "w", worker, "n", i)}
			if h.publish(o, "I like "+o.ID+".") {
				known = append(known, o)
			}
		case dice < 65:
			h.do(Op{Kind: Read, User: user}, func(o *Op) (err error) {
				o.Log, err = read(ctx, h.x, user)
				for _, id := range o.Log {
					if rand.IntN(len(o.Log)) == 0 {
						known = append(known, Op{User: user, ID: id})
					}
				}
				return err
			})
		case dice < 96:
			m := known[rand.IntN(len(known))]
			h.do(Op{Kind: Search, User: m.User, ID: m.ID}, func(o *Op) error {
				answer, err := h.x.Recall(ctx, extension.Scope{User: m.User}, extension.Query{Text: "Do I like " + m.ID + "?"})
				if err != nil {
					return err
				}
				for _, r := range answer.Results {
					if strings.Contains(r.Memory.Content, m.ID+".") {
						o.Log = []string{m.ID}
					}
				}
				return nil
			})
		default:
			m := known[rand.IntN(len(known))]
			h.do(Op{Kind: Erase, User: m.User, ID: m.ID}, func(*Op) error {
				_, err := h.x.Erase(ctx, extension.Scope{User: m.User}, extension.Erasure{Events: []string{m.ID}})
				if unfinished := (*extension.ErasureError)(nil); errors.As(err, &unfinished) {
					return fmt.Errorf("%w (%w)", extension.ErrBusy, err)
				}
				return err
			})
		}
		if len(known) > 200 {
			known = known[100:]
		}
	}
}

// undo runs nights of a user of its own and undoes them: what was known before is known
// again.
func (h *host) undo() {
	ctx := context.Background()
	scope := extension.Scope{User: "undone-" + strings.Split(h.Name, ".")[0]}
	for i := 0; ; i++ {
		o := Op{Kind: Append, User: scope.User, ID: fmt.Sprint(h.Name, "undo", i)}
		if !h.publish(o, "I like "+o.ID+".") {
			continue
		}
		compared, err := undone(ctx, h.x, scope)
		h.fault("undo", err)
		if compared {
			h.say(line{Undos: 1})
		}
		time.Sleep(h.Day / 8)
	}
}

// undone runs a night, undoes it and compares what is known. Nothing is compared if
// another night of the user ended meanwhile.
func undone(ctx context.Context, x *extension.Extension, scope extension.Scope) (compared bool, err error) {
	before, err := derived(ctx, x, scope)
	if err != nil {
		return false, err
	}
	runs, err := x.Runs(ctx, scope, 0)
	if err != nil {
		return false, err
	}
	report, err := x.Consolidate(ctx, scope)
	if err != nil || report.RunID == "" {
		return false, err
	}
	for _, r := range runs {
		if r.UID == report.RunID {
			return false, nil // it went on with one that had begun before
		}
	}
	if _, err := x.Undo(ctx, scope, report.RunID); err != nil {
		return false, err
	}
	after, err := derived(ctx, x, scope)
	if err != nil {
		return false, err
	}
	later, err := x.Runs(ctx, scope, 0)
	if err != nil || len(later) != len(runs)+1 {
		return false, err
	}
	for i, r := range runs {
		if later[i+1].UID != r.UID || later[i+1].State != r.State {
			return false, nil
		}
	}
	if before != after {
		return true, fmt.Errorf("undoing %s was not exact: before\n%s\nafter\n%s", report.RunID, before, after)
	}
	return true, nil
}

// derived is what is known of a user beside the messages, as text.
func derived(ctx context.Context, x *extension.Extension, scope extension.Scope) (text string, err error) {
	err = x.Parts().DB.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		id, err := s.UserID(ctx, scope)
		if err != nil || id == 0 {
			return err
		}
		rows, err := schema.Column[string](ctx, s.Query, `SELECT uid || ' ' || kind || ' ' || state || ' ' || coalesce(valid_until, 0) || ' ' || coalesce(superseded_by, 0)
			|| CASE WHEN kind = 'episode' THEN '' ELSE ' ' || content || ' ' || confidence || ' ' || importance || ' ' || protected END FROM memories WHERE user_id = ? ORDER BY id`, id)
		text = strings.Join(rows, "\n")
		return err
	})
	return text, err
}
