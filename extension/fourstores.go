package extension

import (
	"cmp"
	"context"
	"fmt"

	"github.com/ebbmem/ebb/consolidate/fourstores"
	"github.com/ebbmem/ebb/recall/stores"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/tools"
)

type (
	// StoreSpec describes a store of memories.
	StoreSpec = stores.Spec
	// CriticalChange is a change of a block with [BlockSpec].Critical.
	CriticalChange = schema.BlockWritten
)

// FourStores returns the profile of four-stores-skill.md with its default numbers;
// docs/profiles/FOURSTORES.md lists the deviations. It is [FourStoresOptions]{}.Config().
func FourStores() *Config { return FourStoresOptions{}.Config() }

// FourStoresOptions vary the [FourStores] profile. The zero value has the document's
// numbers.
type FourStoresOptions struct {
	// Rate is λ of e^(−λ·days). Default .03.
	Rate float64
	// Share is the weight of decay beside relevance, which counts 1. Default .1.
	Share float64
	// Product multiplies relevance by decay, as the document says. Old memories are
	// then hardly found. Default false: they are added.
	Product bool
	// FadeEpisodes lets messages fade too. Default false.
	FadeEpisodes bool
	// MainAgent is the agent that writes directly ([ToolsConfig].MainAgent). Default "": all
	// do.
	MainAgent string
	// Persuade offers the elements about what tokens cost to a reflection. Default
	// false.
	Persuade bool
}

// Config returns the profile with these options. Invalid options make [Open] return
// an [*InvalidError].
func (o FourStoresOptions) Config() *Config {
	set, curve := stores.Document(), stores.Curve{Rate: o.Rate, Messages: o.FadeEpisodes}
	scorer := set.Scorer(curve, cmp.Or(o.Share, stores.DefaultShare))
	if o.Product {
		scorer = set.Product(curve)
	}
	return &Config{
		invalid: validOptions("FourStoresOptions.", option{"Rate", o.Rate}, option{"Share", o.Share}),
		Stores:  set, curve: curve, persuade: o.Persuade,
		CoreMemory: CoreMemoryConfig{Blocks: fourstores.Blocks(), BlockTokens: fourstores.CoreTokens},
		Tools: ToolsConfig{
			MainAgent: o.MainAgent,
			Names:     append(tools.Defaults(), "find_procedure", "report_outcome", "request_reflection", "review_proposals", "core_memory_update", "core_memory_append"),
		},
		Ranking: RankingConfig{Scorer: scorer, Retention: set.Retention(curve)},
		Night:   NightConfig{Stages: func([]Stage) []Stage { return fourstores.Stages(set, curve) }},
	}
}

// Reflections returns the reflections of the users of this memory. They run only when
// they are called; [Config].Model writes them.
func (x *Extension) Reflections() *fourstores.Reflections {
	return fourstores.New(fourstores.Options{
		DB: x.db, Model: x.cfg.Model, Prices: x.cfg.Night.Prices, Timeout: x.cfg.Night.ModelTimeout, Redact: x.redactor.Text, Location: x.cfg.Location,
		Stores: x.cfg.Stores, Curve: x.cfg.curve, Block: x.spec, Persuade: x.cfg.persuade,
	})
}

// requestReflection implements the tool of that name.
func (x *Extension) requestReflection(scope Scope) func(context.Context, tools.Reflection) (string, error) {
	return func(ctx context.Context, w tools.Reflection) (string, error) {
		s, err := x.Reflections().Request(ctx, scope, fourstores.Request{Extra: w.Extra, ExtraReason: w.ExtraReason, Penalty: w.Penalty, PenaltyReason: w.PenaltyReason})
		if err != nil {
			return "", err
		}
		return fmt.Sprintf("Requested %d tokens for a reflection. Stop here: it waits for the user's decision outside this conversation's tools.", s.Request.Tokens), nil
	}
}

// acceptOffer stores what another agent than the main one offered.
func (x *Extension) acceptOffer(ctx context.Context, tx *schema.Tx, scope Scope, r *schema.PendingChange, by schema.Actor) error {
	d := tools.Deps{DB: x.db, Scope: scope, Location: x.cfg.Location, Stores: x.cfg.Stores}
	d.Stored = func(ctx context.Context, tx *schema.Tx, m *schema.Memory) error {
		return x.mem.Announce(ctx, tx, scope, m)
	}
	return d.Accept(ctx, tx, r, by)
}

// announceBlock calls the host's hook after the commit of a change of a critical
// block.
func (x *Extension) announceBlock(ctx context.Context, tx *schema.Tx, w schema.BlockWritten) error {
	spec := x.spec(w.Block)
	if spec == nil || !spec.Critical || x.cfg.Hooks.OnCritical == nil {
		return nil
	}
	tenant, user, err := tx.UserByID(ctx, w.UserID)
	if err != nil {
		return err
	}
	tx.OnCommit(func() {
		x.hook("OnCritical", func() { x.cfg.Hooks.OnCritical(Scope{Tenant: tenant, User: user, Agent: w.Agent}, w) })
	})
	return nil
}

// skipArchived adds what has faded for good to what a search leaves out.
func (x *Extension) skipArchived(skip func(*Record) bool) func(*Record) bool {
	hidden := stores.Set(x.cfg.Stores).Hidden(x.cfg.curve, x.cfg.Now)
	return func(m *Record) bool { return hidden(m) || skip != nil && skip(m) }
}
