package tools

import (
	"slices"

	"github.com/ebbmem/ebb/schema/core"
)

// catalogue has a constructor for every tool.
var catalogue = []func() *Tool{
	searchMemory, rememberFact, correctFact, confirmFact, forgetMemory, memoryStats, getEntityInfo, memoryConsolidate,
	getMemory, recentContext, memoryLog, recallSearch, recallByCycle, archivalSearch, archivalInsert,
	findProcedure, reportOutcome, requestReflection, reviewProposals,
}

// Defaults returns the names of the tools that a session has unless its host
// chooses, in their order.
func Defaults() []string {
	return []string{"search_memory", "remember_fact", "correct_fact", "confirm_fact", "forget_memory", "memory_stats", "get_entity_info", "memory_consolidate"}
}

// Names lists every tool that [New] can make: those of [Defaults], and those
// that a host has to choose.
func Names() []string {
	names := make([]string, len(catalogue))
	for i, make := range catalogue {
		names[i] = make().name
	}
	return append(names, coreMemoryNames...)
}

// named makes the tools of these names, in order. It skips unknown and repeated
// names, and tools for core memory without a block that they could write.
func named(names []string, blocks []core.BlockSpec) (chosen []*Tool) {
	all := make([]*Tool, len(catalogue))
	for i, make := range catalogue {
		all[i] = make()
	}
	all = append(all, coreMemory(blocks)...)
	for i, name := range names {
		at := slices.IndexFunc(all, func(t *Tool) bool { return t.name == name })
		if at >= 0 && !slices.Contains(names[:i], name) {
			chosen = append(chosen, all[at])
		}
	}
	return chosen
}
