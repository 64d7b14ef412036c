package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"sync"
	"time"
)

// lastAnswers is how long the end of a client's input is held back for answers that it
// still awaits.
const lastAnswers = 10 * time.Second

// pending holds back the end of a client's input until its requests are answered: the
// SDK cancels those under way at the end, and a client that writes its requests and
// closes, as a shell does, would get nothing and lose what it recorded.
type pending struct {
	ctx context.Context
	in  io.Reader
	out io.Writer

	line []byte // of the input, not ended yet; used by Read alone

	mu       sync.Mutex
	awaited  map[string]bool // ids of requests
	answered chan struct{}   // is signalled when an answer was written
}

func newPending(ctx context.Context, in io.Reader, out io.Writer) *pending {
	return &pending{ctx: ctx, in: in, out: out, awaited: make(map[string]bool), answered: make(chan struct{}, 1)}
}

// Read implements io.Reader.
func (p *pending) Read(b []byte) (n int, err error) {
	n, err = p.in.Read(b)
	for rest := b[:n]; len(rest) > 0; {
		line, after, ended := bytes.Cut(rest, []byte("\n"))
		if p.line = append(p.line, line...); ended || len(p.line) > MaxMessage {
			p.note(p.line, true)
			p.line = p.line[:0]
		}
		rest = after
	}
	if err == io.EOF {
		p.note(p.line, true)
		p.wait()
	}
	return n, err
}

// Write implements io.Writer.
func (p *pending) Write(b []byte) (n int, err error) {
	n, err = p.out.Write(b)
	p.note(b, false)
	select {
	case p.answered <- struct{}{}:
	default:
	}
	return n, err
}

// note reads which requests a message, or a batch of them, begins or ends.
func (p *pending) note(message []byte, incoming bool) {
	type envelope struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
		Params struct {
			RequestID json.RawMessage `json:"requestId"`
		} `json:"params"`
	}
	var all []envelope
	if json.Unmarshal(message, &all) != nil {
		var one envelope
		if json.Unmarshal(message, &one) != nil {
			return
		}
		all = []envelope{one}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, m := range all {
		switch {
		case incoming && m.Method != "" && m.ID != nil:
			p.awaited[string(m.ID)] = true
		case incoming && m.Method == "notifications/cancelled":
			delete(p.awaited, string(m.Params.RequestID))
		case !incoming && m.Method == "":
			delete(p.awaited, string(m.ID))
		}
	}
}

// wait returns when every request is answered, or after [lastAnswers].
func (p *pending) wait() {
	timeout := time.NewTimer(lastAnswers)
	defer timeout.Stop()
	for {
		p.mu.Lock()
		left := len(p.awaited)
		p.mu.Unlock()
		if left == 0 {
			return
		}
		select {
		case <-p.answered:
		case <-timeout.C:
			return
		case <-p.ctx.Done():
			return
		}
	}
}
