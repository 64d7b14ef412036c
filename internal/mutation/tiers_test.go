package mutation

var tiers = []Mutant{
	{
		Defence: "what an agent logs or archives is trusted no more than what its turn has had in view",
		File:    "extension/stream_log.go",
		Old:     "append(opts, eventbus.Trusted(trust))...",
		New:     "append(opts, eventbus.Trusted(max(trust, 4)))...",
		Package: "./extension",
		Test:    "TestAnAgentLogsWhatItDid",
	},
	{
		Defence: "a file that nobody vouches for sets no team's clock",
		File:    "extension/import_stranger.go",
		Old:     "h.Cycle, h.ReflectedCycle, h.ReflectedAt = 0, 0, schema.Time{}",
		New:     "",
		Package: "./extension",
		Test:    "TestACycleIsDurableAndStampsWhatIsSaid",
	},
}
