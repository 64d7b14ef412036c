package inspector

import (
	"errors"
	"slices"

	"github.com/ebbmem/ebb/consolidate/fourstores"
	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/inspect"
)

// waiting is the page of what a person has to decide.
type waiting struct {
	Proposals   []extension.Proposal
	Quarantined []extension.Record
	Unvouched   []extension.Record
	Reflection  *fourstores.Status // the open one
	CanReflect  bool
	Evidence    map[string]*schema.Memory // what its insights rest on, by id
	Cut         bool
}

const (
	maxWaiting = 50
	// maxProposed is the longest text, in bytes, that can be approved on the page, which
	// shows it whole.
	maxProposed = 16 << 10
	// maxProposals is the most text of proposals on one page, in bytes.
	maxProposals = 32 << 10
)

func decide(r *request) (answer, error) {
	var v waiting
	var err error
	if v.Proposals, err = r.ext.Proposals(r.ctx, r.scope); err != nil {
		return answer{}, err
	}
	if v.Quarantined, err = r.ext.Quarantined(r.ctx, r.scope, maxWaiting); err != nil {
		return answer{}, err
	}
	reflection, err := r.ext.Reflections().Status(r.ctx, r.scope)
	if err != nil {
		return answer{}, err
	}
	if slices.Contains([]string{"requested", "granted", "drafted"}, string(reflection.State)) {
		v.Reflection, v.CanReflect = reflection, r.o.Write && r.o.Reflects
	}
	if err := v.readEvidence(r); err != nil {
		return answer{}, err
	}
	err = r.read(r, func(s *schema.Snapshot) (err error) {
		v.Unvouched, err = inspect.NotOwnWords(r.ctx, s, r.userID, maxWaiting)
		return err
	})
	v.Cut = len(v.Proposals) > maxWaiting
	v.Proposals = v.Proposals[:min(len(v.Proposals), maxWaiting)]
	size := 0
	for i := range v.Proposals {
		if size += min(len(v.Proposals[i].NewContent), maxProposed); size > maxProposals && i > 0 {
			v.Proposals, v.Cut = v.Proposals[:i], true
			break
		}
	}
	return answer{page: "decide", title: "To decide", data: v}, err
}

// readEvidence reads the memories that the insights of a reflection rest on. What was
// erased since is left out.
func (v *waiting) readEvidence(r *request) error {
	if v.Reflection == nil || v.Reflection.Draft == nil {
		return nil
	}
	v.Evidence = make(map[string]*schema.Memory)
	return r.read(r, func(s *schema.Snapshot) error {
		for _, insight := range v.Reflection.Draft.Insights {
			for _, id := range insight.Sources {
				if len(v.Evidence) == maxRelated {
					return nil
				}
				m, err := s.Memory(r.ctx, r.userID, id)
				if errors.Is(err, extension.ErrNotFound) {
					continue
				}
				if err != nil {
					return err
				}
				v.Evidence[id] = m
			}
		}
		return nil
	})
}
