package core_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/internal/memtest"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/schema/core"
	"github.com/ebbmem/ebb/schema/erase"
)

var (
	statusSpec = core.BlockSpec{Name: "status", Kind: core.BlockFields, Writer: core.ModelWrites, Tokens: 120, Fields: []core.BlockField{
		{Name: "sprint"}, {Name: "blockers", List: true, Items: 3}, {Name: "shipped", List: true, Items: 2, Newest: true},
	}}
	threadsSpec = core.BlockSpec{Name: "threads", Kind: core.BlockRecords, Items: 2, Fields: []core.BlockField{
		{Name: "summary"}, {Name: "roles", List: true}, {Name: "lastUpdate", Stamp: true},
	}}
	lessonsSpec = core.BlockSpec{Name: "lessons", Kind: core.BlockList, Items: 3}
	rulesSpec   = core.BlockSpec{Name: "rules", Kind: core.BlockText, Tokens: 5}
)

func value(t *testing.T, spec *core.BlockSpec, content string) any {
	t.Helper()
	v, err := spec.Decode(content)
	require.NoError(t, err)
	return v
}

func TestEditBlockFields(t *testing.T) {
	require.NoError(t, core.ValidBlocks([]core.BlockSpec{statusSpec, threadsSpec, lessonsSpec, rulesSpec}))
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	const stamped = `"lastUpdate":"2026-03-01T12:00:00Z"`
	for name, c := range map[string]struct {
		spec                       core.BlockSpec
		now, base, update, becomes string
		wrong                      string // of the error
	}{
		"a field that is not named stays":          {statusSpec, `{"sprint":"one","blockers":["a"]}`, "", `{"sprint":"two"}`, `{"blockers":["a"],"sprint":"two"}`, ""},
		"an empty field is taken out":              {statusSpec, `{"sprint":"one","blockers":["a"]}`, "", `{"sprint":"","blockers":[]}`, `{}`, ""},
		"null is empty":                            {statusSpec, `{"sprint":"one","blockers":["a"]}`, "", `{"blockers":null}`, `{"sprint":"one"}`, ""},
		"texts are tidied":                         {statusSpec, ``, "", `{"blockers":[" a ","","a",84]}`, `{"blockers":["a","84"]}`, ""},
		"what others added to a list stays":        {statusSpec, `{"blockers":["a","b"]}`, `{"blockers":["a"]}`, `{"blockers":["c"]}`, `{"blockers":["b","c"]}`, ""},
		"what others took out stays out":           {statusSpec, `{"sprint":"one"}`, `{"blockers":["a"],"sprint":"one"}`, `{"blockers":["a","c"]}`, `{"blockers":["c"],"sprint":"one"}`, ""},
		"a text that others changed is a conflict": {statusSpec, `{"sprint":"two"}`, `{"sprint":"one"}`, `{"sprint":"three"}`, "", "status.sprint was changed by someone else"},
		"to the same is none":                      {statusSpec, `{"sprint":"two"}`, `{"sprint":"one"}`, `{"sprint":"two"}`, `{"sprint":"two"}`, ""},
		"the newest are kept":                      {statusSpec, `{"shipped":["a","b"]}`, "", `{"shipped":["a","b","c","d"]}`, `{"shipped":["c","d"]}`, ""},
		"too many are refused":                     {statusSpec, ``, "", `{"blockers":["a","b","c","d"]}`, "", "status.blockers would hold 4 entries, and the most is 3"},
		"an unknown field":                         {statusSpec, ``, "", `{"Sprint":"x"}`, "", "status.Sprint is not a field; status has sprint, blockers, shipped"},
		"nested JSON":                              {statusSpec, ``, "", `{"sprint":{"sprint":"x"}}`, "", "status.sprint must be a text"},
		"nested JSON in a list":                    {statusSpec, ``, "", `{"blockers":[["x"]]}`, "", "status.blockers[0] must be a text"},
		"a text for a list":                        {statusSpec, ``, "", `{"blockers":"x"}`, "", "status.blockers must be a list of texts"},
		"a list for an object":                     {statusSpec, ``, "", `["x"]`, "", "status must be a JSON object with sprint, blockers, shipped"},
		"too long a text":                          {statusSpec, ``, "", `{"sprint":"` + strings.Repeat("word ", 300) + `"}`, "", "status.sprint is longer than 300 tokens"},
		"too long a block":                         {statusSpec, ``, "", `{"sprint":"` + strings.Repeat("word ", 200) + `"}`, "", "status would take about"},

		"a record is added":                 {threadsSpec, ``, "", `{"id":"t1","summary":"memory"}`, `[{"id":"t1",` + stamped + `,"summary":"memory"}]`, ""},
		"a record is changed by its fields": {threadsSpec, `[{"id":"t1","summary":"memory"},{"id":"t2","summary":"tests"}]`, "", `[{"id":"t1","roles":["qa"]}]`, `[{"id":"t1",` + stamped + `,"roles":["qa"],"summary":"memory"},{"id":"t2","summary":"tests"}]`, ""},
		"a record without its text goes":    {threadsSpec, `[{"id":"t1","summary":"memory"},{"id":"t2","summary":"tests"}]`, "", `{"id":"t1","summary":""}`, `[{"id":"t2","summary":"tests"}]`, ""},
		"a time is the clock's":             {threadsSpec, ``, "", `{"id":"t1","summary":"memory","lastUpdate":"1999-01-01T00:00:00Z"}`, `[{"id":"t1",` + stamped + `,"summary":"memory"}]`, ""},
		"two change different records":      {threadsSpec, `[{"id":"t1","summary":"memory"},{"id":"t2","summary":"more tests"}]`, `[{"id":"t1","summary":"memory"},{"id":"t2","summary":"tests"}]`, `{"id":"t1","summary":"memories"}`, `[{"id":"t1",` + stamped + `,"summary":"memories"},{"id":"t2","summary":"more tests"}]`, ""},
		"two change different fields":       {threadsSpec, `[{"id":"t1","roles":["qa"],"summary":"memory"}]`, `[{"id":"t1","summary":"memory"}]`, `{"id":"t1","summary":"memories","roles":["ops"]}`, `[{"id":"t1",` + stamped + `,"roles":["qa","ops"],"summary":"memories"}]`, ""},
		"two change the same record's text": {threadsSpec, `[{"id":"t1","summary":"theirs"}]`, `[{"id":"t1","summary":"memory"}]`, `{"id":"t1","summary":"mine"}`, "", "threads.t1.summary was changed by someone else"},
		"one changes what another closed":   {threadsSpec, `[]`, `[{"id":"t1","summary":"memory"}]`, `{"id":"t1","summary":"mine"}`, "", "threads.t1 was changed by someone else"},
		"no record":                         {threadsSpec, `[{"id":"t1","summary":"memory"}]`, "", `[]`, "", "threads was given no record"},
		"a record without an id":            {threadsSpec, ``, "", `{"summary":"x"}`, "", "threads.id is missing"},
		"a record that says nothing":        {threadsSpec, ``, "", `{"id":"t9","roles":["qa"]}`, "", "threads.summary is missing, and there is no \"t9\" yet"},
		"one id twice":                      {threadsSpec, ``, "", `[{"id":"a","summary":"x"},{"id":"a","summary":"y"}]`, "", `threads holds the id "a" twice`},
		"too many records":                  {threadsSpec, `[{"id":"t1","summary":"x"},{"id":"t2","summary":"x"}]`, "", `{"id":"t3","summary":"x"}`, "", "threads would hold 3 entries, and the most is 2"},
		"a text for a record":               {threadsSpec, ``, "", `"x"`, "", `threads must hold objects such as {"id": "…", "summary": "…"}`},

		"a list takes the place of one":   {lessonsSpec, `["a"]`, "", `["b"]`, `["b"]`, ""},
		"a list is merged":                {lessonsSpec, `["a","b"]`, `["a"]`, `["c"]`, `["b","c"]`, ""},
		"an object for a list":            {lessonsSpec, `["a"]`, "", `{"0":"b"}`, "", "lessons must be a list of texts"},
		"a text takes the place of one":   {rulesSpec, `old`, "", ` new` + "\x00", `new`, ""},
		"a text that others have changed": {rulesSpec, `theirs`, "old", `mine`, "", "rules was changed by someone else"},
		"a text beyond its tokens":        {rulesSpec, ``, "", strings.Repeat("word ", 9), "", "rules would take about"},
	} {
		t.Run(name, func(t *testing.T) {
			var base any
			if c.base != "" {
				base = value(t, &c.spec, c.base)
			}
			got, err := c.spec.Next(c.now, c.spec.Update(value(t, &c.spec, c.update), base), at)
			if c.wrong != "" {
				require.ErrorContains(t, err, c.wrong)
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.becomes, got)
			again, err := c.spec.Next(got, c.spec.Replace(value(t, &c.spec, got)), at)
			require.NoError(t, err)
			require.Equal(t, got, again, "it is in its proper form")
		})
	}
}

func TestAppendEntry(t *testing.T) {
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	for name, c := range map[string]struct {
		spec           core.BlockSpec
		field          string
		now, item      string // item is JSON
		becomes, wrong string
	}{
		"to a list":                    {lessonsSpec, "", `["a"]`, `"b"`, `["a","b"]`, ""},
		"once":                         {lessonsSpec, "", `["a"]`, `"a"`, `["a"]`, ""},
		"to a field":                   {statusSpec, "blockers", `{"sprint":"one"}`, `"b"`, `{"blockers":["b"],"sprint":"one"}`, ""},
		"to a field that keeps newest": {statusSpec, "shipped", `{"shipped":["a","b"]}`, `"c"`, `{"shipped":["b","c"]}`, ""},
		"a record":                     {threadsSpec, "", ``, `{"id":"t1","summary":"x"}`, `[{"id":"t1","lastUpdate":"2026-03-01T12:00:00Z","summary":"x"}]`, ""},
		"a record that is there":       {threadsSpec, "", `[{"id":"t1","summary":"x"}]`, `{"id":"t1","summary":"y"}`, "", `threads.id "t1" is there already`},
		"a record without its text":    {threadsSpec, "", ``, `{"id":"t1"}`, "", "threads.summary is missing or empty"},
		"an empty text":                {lessonsSpec, "", ``, `" "`, "", "lessons was given an empty entry"},
		"an object to a list":          {statusSpec, "blockers", ``, `{"x":"y"}`, "", "status.blockers must be a text"},
		"to a full list":               {statusSpec, "blockers", `{"blockers":["a","b","c"]}`, `"d"`, "", "status.blockers would hold 4"},
		"to a field that is no list":   {statusSpec, "sprint", ``, `"d"`, "", "status has no list to append to"},
		"to a text":                    {rulesSpec, "", ``, `"d"`, "", "rules has no list to append to"},
	} {
		t.Run(name, func(t *testing.T) {
			var item any
			require.NoError(t, json.Unmarshal([]byte(c.item), &item))
			got, err := c.spec.Next(c.now, c.spec.Append(c.field, item), at)
			if c.wrong != "" {
				require.ErrorContains(t, err, c.wrong)
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.becomes, got)
		})
	}
}

func TestInvalidBlocks(t *testing.T) {
	fields := []core.BlockField{{Name: "a"}}
	for name, c := range map[string]struct {
		specs []core.BlockSpec
		wrong string
	}{
		"no name":           {[]core.BlockSpec{{Kind: core.BlockText}}, "has an unusable name"},
		"a name with space": {[]core.BlockSpec{{Name: "a b", Kind: core.BlockText}}, "has an unusable name"},
		"no kind":           {[]core.BlockSpec{{Name: "a"}}, "Block.a.Kind must be"},
		"a writer":          {[]core.BlockSpec{{Name: "a", Kind: core.BlockText, Writer: "all"}}, "Block.a.Writer must be"},
		"no fields":         {[]core.BlockSpec{{Name: "a", Kind: core.BlockFields}}, "Block.a.Fields"},
		"fields of a text":  {[]core.BlockSpec{{Name: "a", Kind: core.BlockText, Fields: fields}}, "Block.a.Fields"},
		"a field twice":     {[]core.BlockSpec{{Name: "b", Kind: core.BlockFields, Fields: append(fields, fields...)}}, "Block.b.a is there twice"},
		"an id":             {[]core.BlockSpec{{Name: "b", Kind: core.BlockRecords, Fields: []core.BlockField{{Name: "x"}, {Name: "id"}}}}, "Block.b.id has an unusable name"},
		"a limit":           {[]core.BlockSpec{{Name: "a", Kind: core.BlockText, Tokens: -1}}, "negative limit"},
		"a name twice":      {[]core.BlockSpec{{Name: "a", Kind: core.BlockText}, {Name: "A", Kind: core.BlockText}}, "Block.A uses the name A"},
		"a list's name":     {[]core.BlockSpec{{Name: "a", Kind: core.BlockText}, {Name: "b", Kind: core.BlockFields, Fields: []core.BlockField{{Name: "a", List: true}}}}, "Block.b uses the name a"},
		"records of lists":  {[]core.BlockSpec{{Name: "b", Kind: core.BlockRecords, Fields: []core.BlockField{{Name: "a", List: true}}}}, "must begin with a text"},
	} {
		t.Run(name, func(t *testing.T) {
			var invalid *schema.InvalidError
			err := core.ValidBlocks(c.specs)
			require.ErrorAs(t, err, &invalid)
			require.ErrorContains(t, err, c.wrong)
		})
	}
}

// setBlock writes a block of ada's.
func setBlock(t *testing.T, db *schema.DB, name string, kind core.BlockKind, content, actor string) *core.Block {
	t.Helper()
	var set *core.Block
	memtest.Write(t, db, ada, func(ctx context.Context, tx *schema.Tx, userID int64) error {
		b, err := core.Read(ctx, tx, userID, "", name)
		if err != nil {
			require.ErrorIs(t, err, schema.ErrNotFound)
			b = &core.Block{UserID: userID, Name: name, Kind: kind}
		}
		set = b
		return core.Set(ctx, tx, b, content, 3, "qa", schema.Actor{Name: actor})
	})
	return set
}

func TestBlockHistoryAndAudit(t *testing.T) {
	db := memtest.Open(t)
	first := setBlock(t, db, "rules", core.BlockText, "be kind", "host")
	second := setBlock(t, db, "rules", core.BlockText, "be kinder", "model")
	require.EqualValues(t, 1, first.Version)
	require.EqualValues(t, 2, second.Version)
	memtest.Read(t, db, func(ctx context.Context, s *schema.Snapshot) error {
		versions, err := core.History(ctx, s, second.ID, 10)
		require.NoError(t, err)
		require.Len(t, versions, 2)
		require.Equal(t, "be kinder", versions[0].Content)
		require.Equal(t, "model", versions[0].Actor)
		require.Equal(t, "qa", versions[0].Agent)
		require.Equal(t, "be kind", versions[1].Content)
		require.Equal(t, second.UpdatedAt, versions[0].At)
		var before, after string
		require.NoError(t, s.Row(ctx, "SELECT before, after FROM ops WHERE record = 'blocks' AND actor = 'model' AND record_id = ?", []any{second.ID}, &before, &after))
		require.JSONEq(t, `{"content":"be kind","trust":3,"version":1}`, before)
		require.JSONEq(t, `{"content":"be kinder","trust":3,"version":2}`, after)
		return nil
	})
	stale := func(b core.Block) error {
		return db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
			return core.Set(ctx, tx, &b, "be rude", 4, "", schema.Actor{Name: "host"})
		})
	}
	require.ErrorIs(t, stale(*first), schema.ErrConflict)
	fresh := *first
	fresh.ID, fresh.Version = 0, 0
	require.ErrorIs(t, stale(fresh), schema.ErrConflict, "a second block of the name")
}

func TestUndoOneBlockChange(t *testing.T) {
	for name, c := range map[string]struct {
		kind     core.BlockKind
		versions []string
		undo     int64
		becomes  string
		err      error
	}{
		"the last":                     {core.BlockText, []string{"a", "b"}, 2, "a", nil},
		"the first":                    {core.BlockText, []string{"a"}, 1, "", nil},
		"a text changed since":         {core.BlockText, []string{"a", "b", "c"}, 2, "", schema.ErrConflict},
		"an entry, later ones stay":    {core.BlockList, []string{`["a"]`, `["a","b"]`, `["a","b","c"]`}, 2, `["a","c"]`, nil},
		"what was taken out returns":   {core.BlockList, []string{`["a","b"]`, `["b"]`, `["b","c"]`}, 2, `["a","b","c"]`, nil},
		"and stands where it stood":    {core.BlockList, []string{`["a","b","c"]`, `["b","c"]`, `["c","d"]`}, 2, `["a","c","d"]`, nil},
		"a field, others stay":         {core.BlockFields, []string{`{"x":"1","y":"1"}`, `{"x":"2","y":"1"}`, `{"x":"2","y":"2"}`}, 2, `{"x":"1","y":"2"}`, nil},
		"a field changed since":        {core.BlockFields, []string{`{"x":"1"}`, `{"x":"2"}`, `{"x":"3"}`}, 2, "", schema.ErrConflict},
		"a record, others stay":        {core.BlockRecords, []string{`[{"id":"a","s":"1"}]`, `[{"id":"a","s":"1"},{"id":"b","s":"1"}]`, `[{"id":"a","s":"2"},{"id":"b","s":"1"}]`}, 2, `[{"id":"a","s":"2"}]`, nil},
		"a record changed since":       {core.BlockRecords, []string{`[]`, `[{"id":"a","s":"1"}]`, `[{"id":"a","s":"2"}]`}, 2, "", schema.ErrConflict},
		"a version that is not there":  {core.BlockText, []string{"a"}, 2, "", schema.ErrNotFound},
		"the state before any version": {core.BlockText, []string{"a"}, 0, "", schema.ErrNotFound},
	} {
		t.Run(name, func(t *testing.T) {
			db := memtest.Open(t)
			for _, content := range c.versions {
				setBlock(t, db, "it", c.kind, content, "model")
			}
			var b *core.Block
			undo := func() error {
				return db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
					userID, err := tx.KnownUserID(ctx, ada)
					if err != nil {
						return err
					}
					if b, err = core.Read(ctx, tx, userID, "", "it"); err != nil {
						return err
					}
					return core.Undo(ctx, tx, b, nil, c.undo, "", schema.Actor{Name: "host"})
				})
			}
			err := undo()
			if c.err != nil {
				require.ErrorIs(t, err, c.err)
				return
			}
			require.NoError(t, err)
			require.Equal(t, c.becomes, b.Content)
			require.EqualValues(t, len(c.versions)+1, b.Version)
			require.Error(t, undo(), "once")
		})
	}
}

func TestConcurrentAppends(t *testing.T) {
	db := memtest.Open(t)
	spec := core.BlockSpec{Name: "lessons", Kind: core.BlockList, Items: 64}
	var group sync.WaitGroup
	for i := range 40 {
		group.Go(func() {
			err := db.Write(t.Context(), func(ctx context.Context, tx *schema.Tx) error {
				userID, err := tx.UserID(ctx, ada)
				if err != nil {
					return err
				}
				b, err := core.Read(ctx, tx, userID, "", spec.Name)
				if err != nil {
					b = &core.Block{UserID: userID, Name: spec.Name, Kind: spec.Kind}
				}
				next, err := spec.Next(b.Content, spec.Append("", fmt.Sprint("lesson ", i)), tx.Now)
				if err != nil {
					return err
				}
				return core.Set(ctx, tx, b, next, 4, "", schema.Actor{Name: "model"})
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	memtest.Read(t, db, func(ctx context.Context, s *schema.Snapshot) error {
		userID, err := s.UserID(ctx, ada)
		require.NoError(t, err)
		b, err := core.Read(ctx, s, userID, "", spec.Name)
		require.NoError(t, err)
		require.EqualValues(t, 40, b.Version)
		for i := range 40 {
			require.Contains(t, b.Content, fmt.Sprintf("%q", fmt.Sprint("lesson ", i)))
		}
		return nil
	})
}

// An erased message is gone from core memory too, but for what the host wrote.
func TestErasedMessageIsRemovedFromBlocks(t *testing.T) {
	db := memtest.Open(t)
	said := memtest.Remember(t, db, ada, schema.Memory{Content: "The zebrafinch sings in Vexmoor"})
	memtest.Remember(t, db, ada, schema.Memory{Content: "The kettle is blue"})
	setBlock(t, db, "rules", core.BlockText, "Mind the kettle\nFeed the zebrafinch", "host")
	setBlock(t, db, "rules", core.BlockText, "Mind the kettle\nFeed the zebrafinch\nMove to Vexmoor", "model")
	setBlock(t, db, "lessons", core.BlockList, `["the kettle is blue","a zebrafinch sings"]`, "model")
	setBlock(t, db, "status", core.BlockFields, `{"blockers":["Vexmoor","kettle"],"sprint":"zebrafinch"}`, "model")
	setBlock(t, db, "threads", core.BlockRecords, `[{"id":"a","summary":"zebrafinch"},{"id":"b","summary":"kettle"}]`, "model")
	receipt, err := erase.Run(t.Context(), db, ada, erase.Erasure{Memories: []string{said.UID}}, schema.Actor{Name: "host"})
	require.NoError(t, err)
	require.EqualValues(t, 4, receipt.Rewritten["blocks"])
	require.EqualValues(t, 4, receipt.Rewritten["block_history"])
	memtest.Read(t, db, func(ctx context.Context, s *schema.Snapshot) error {
		blocks, err := core.Blocks(ctx, s, said.UserID, "")
		require.NoError(t, err)
		left := make(map[string]string)
		for _, b := range blocks {
			left[b.Name] = b.Content
			versions, err := core.History(ctx, s, b.ID, 1)
			require.NoError(t, err)
			require.Equal(t, b.Content, versions[0].Content)
		}
		require.Equal(t, map[string]string{
			"rules":   "Mind the kettle\nFeed the zebrafinch",
			"lessons": `["the kettle is blue"]`,
			"status":  `{"blockers":["kettle"]}`,
			"threads": `[{"id":"b","summary":"kettle"}]`,
		}, left)
		return nil
	})
}
