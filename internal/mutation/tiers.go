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
}
