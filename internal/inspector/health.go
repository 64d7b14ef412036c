package inspector

import (
	"context"
	"time"

	"github.com/ebbmem/ebb/extension"
)

// state is the page of the memory's health.
type state struct {
	Stats *extension.Stats
	File  *extension.Health // nil where one user or tenant alone may look
	Kinds []kindCount
	Well  bool
	At    time.Time
	Busy  bool // the report is not finished yet
}

// report is a state that is being read, until done is closed.
type report struct {
	done  chan struct{}
	state state
	err   error
}

// How long a report is shown again, and the most time it takes: it reads something of
// every memory.
const (
	healthLasts = time.Minute
	healthTakes = 5 * time.Minute
)

type kindCount struct {
	Kind            string
	Active, Dormant int64
	Width           float64
}

func health(r *request) (answer, error) {
	report := r.healthReport()
	waits := time.NewTimer(r.patience)
	defer waits.Stop()
	v := state{Busy: true}
	select {
	case <-report.done:
		if report.err != nil {
			return answer{}, report.err
		}
		v = report.state
	case <-waits.C:
	case <-r.ctx.Done():
		return answer{}, r.ctx.Err()
	}
	return answer{page: "health", title: "Health", data: v}, nil
}

// healthReport returns the newest report of the user who is looked at. It starts one if
// there is none, or if the last one failed or is old: of a large memory it takes longer
// than a page may.
func (r *request) healthReport() *report {
	r.mu.Lock()
	defer r.mu.Unlock()
	if known := r.reports[r.scope]; known != nil {
		select {
		case <-known.done:
			if known.err == nil && time.Since(known.state.At) < healthLasts {
				return known
			}
		default:
			return known
		}
	}
	if len(r.reports) >= maxSessions {
		clear(r.reports)
	}
	made := &report{done: make(chan struct{})}
	r.reports[r.scope] = made
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.ctx), healthTakes)
	go func() {
		defer close(made.done)
		defer cancel()
		made.state, made.err = r.readHealth(ctx, r.scope)
	}()
	return made
}

// readHealth reads a report.
func (p *Page) readHealth(ctx context.Context, scope extension.Scope) (v state, err error) {
	v.At = time.Now()
	if v.Stats, err = p.ext.Stats(ctx, scope); err != nil {
		return v, err
	}
	v.Well = v.Stats.Health.Healthy()
	if p.o.Scope == (extension.Scope{}) {
		if v.File, err = p.ext.Health(ctx); err != nil {
			return v, err
		}
		v.Well = v.Well && v.File.Healthy()
	}
	var most int64
	for _, n := range v.Stats.Memories {
		most = max(most, n)
	}
	for _, kind := range []extension.Kind{extension.KindEpisode, extension.KindFact, extension.KindPreference, extension.KindReflection} {
		k := kindCount{kindNames[kind] + "s", v.Stats.Memories[string(kind)], v.Stats.Dormant[string(kind)], 0}
		if most > 0 {
			k.Width = 100 * float64(k.Active) / float64(most)
		}
		v.Kinds = append(v.Kinds, k)
	}
	return v, nil
}
