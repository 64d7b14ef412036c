package main

var tiers = []Mutant{
	{
		Defence: "what an agent logs or archives is trusted no more than what its turn has had in view",
		File:    "extension/stream_log.go",
		Old:     "event.Trust = &trust",
		New:     "event.Trust = new(max(trust, 4))",
		Package: "./extension",
		Test:    "TestAnAgentLogsWhatItDid",
	},
	{
		Defence: "a file that nobody vouches for sets no team's clock",
		File:    "extension/transfer/untrusted.go",
		Old:     "h.Cycle, h.ReflectedCycle, h.ReflectedAt = 0, 0, schema.Time{}",
		New:     "",
		Package: "./extension",
		Test:    "TestACycleIsDurableAndStampsWhatIsSaid",
	},
	{
		Defence: "a rule of a night changes nothing that is protected",
		File:    "consolidate/rule.go",
		Old:     "if !p.LabelsOnly() {",
		New:     "if false {",
		Package: "./consolidate",
		Test:    "TestARuleLeavesWhatIsProtected",
	},
	{
		Defence: "a rule of a night releases nothing and makes nothing stand",
		File:    "schema/revise.go",
		Old:     "case OwnAttribute(name) && !slices.Contains(ruledAttributes, name):",
		New:     "case false:",
		Package: "./consolidate",
		Test:    "TestAReviseThatCannotBeIsRejected",
	},
	{
		Defence: "a page that a model read makes nothing permanent",
		File:    "recall/cognitive/doc.go",
		Old:     "case m.OwnWords() && m.Kind == schema.KindPreference:",
		New:     "case m.Kind == schema.KindPreference:",
		Package: "./recall/cognitive",
		Test:    "TestCategories",
	},
}
