package tools

import "slices"

// catalogue makes every tool there is.
var catalogue = []func() *Tool{
	searchMemory, rememberFact, correctFact, confirmFact, memoryStats, getEntityInfo, memoryConsolidate,
	memoryLog, recallSearch, recallByCycle, archivalSearch, archivalInsert,
}

// Defaults are the names of the tools that a session has unless its host chooses,
// in their order.
func Defaults() []string {
	return []string{"search_memory", "remember_fact", "correct_fact", "confirm_fact", "memory_stats", "get_entity_info", "memory_consolidate"}
}

// Names lists every tool that [New] can make: those of [Defaults], and those
// that a host has to choose.
func Names() []string {
	names := make([]string, len(catalogue))
	for i, make := range catalogue {
		names[i] = make().name
	}
	return names
}

// named makes the tools of these names, in order; a name that no tool has, or
// that was there before, makes none.
func named(names []string) (chosen []*Tool) {
	all := make([]*Tool, len(catalogue))
	for i, make := range catalogue {
		all[i] = make()
	}
	for i, name := range names {
		at := slices.IndexFunc(all, func(t *Tool) bool { return t.name == name })
		if at >= 0 && !slices.Contains(names[:i], name) {
			chosen = append(chosen, all[at])
		}
	}
	return chosen
}
