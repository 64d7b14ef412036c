package inspector

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/inspect"
)

// known is the page of an entity.
type known struct {
	*inspect.Entity

	Also          []string // its other names
	Current, Past []validity
	From, To      time.Time
	Graph         graph
}

// maxAlso is the most other names that are listed.
const maxAlso = 10

func entity(r *request) (answer, error) {
	var e *inspect.Entity
	err := r.read(r, func(s *schema.Snapshot) (err error) {
		e, err = inspect.ReadEntity(r.ctx, s, r.userID, r.PathValue("id"))
		return err
	})
	if err != nil {
		return answer{}, err
	}
	v := known{Entity: e, Graph: newGraph(e)}
	for _, a := range e.Aliases {
		if a.Surface != e.Name && len(v.Also) < maxAlso {
			v.Also = append(v.Also, a.Surface)
		}
	}
	all, from, to := validities(e.Claims, r.now())
	v.From, v.To = from, to
	for _, c := range all {
		if c.State == schema.StateActive && c.HeldAt(r.now(), time.Time{}) {
			v.Current = append(v.Current, c)
		} else {
			v.Past = append(v.Past, c)
		}
	}
	return answer{page: "entity", title: e.Name, data: v}, nil
}

// names is the list of entities.
type names struct {
	Prefix string
	Types  []namesOfType
	Cut    bool
}

type namesOfType struct {
	Name string
	All  []schema.Entity
}

// order puts people first, and names of which nothing is known last.
func (t namesOfType) order() int {
	switch t.Name {
	case typeNames["person"]:
		return 0
	case typeNames["name"]:
		return 2
	}
	return 1
}

const maxNames = 120

func entities(r *request) (answer, error) {
	v := names{Prefix: strings.TrimSpace(r.FormValue("name"))}
	if err := schema.ValidLabel("name", v.Prefix); err != nil {
		return answer{}, err
	}
	var all []schema.Entity
	err := r.read(r, func(s *schema.Snapshot) (err error) {
		all, err = inspect.Entities(r.ctx, s, r.userID, text.Fold(v.Prefix), maxNames+1)
		return err
	})
	if v.Cut = len(all) > maxNames; v.Cut {
		all = all[:maxNames]
	}
	for _, e := range all {
		name := named(typeNames, e.Type)
		at := slices.IndexFunc(v.Types, func(t namesOfType) bool { return t.Name == name })
		if at < 0 {
			at, v.Types = len(v.Types), append(v.Types, namesOfType{Name: name})
		}
		v.Types[at].All = append(v.Types[at].All, e)
	}
	slices.SortStableFunc(v.Types, func(a, b namesOfType) int { return cmp.Compare(a.order(), b.order()) })
	return answer{page: "entities", title: "People and things", data: v}, err
}
