package arrows

const (
	module      = "github.com/ebbmem/ebb"
	langchaingo = "github.com/tmc/langchaingo"
)

// anything, in a list of langchaingo packages, allows all of them.
const anything = "..."

// row says what one package may import directly. The standard library, other
// modules and the package's own subfolders are always allowed.
type row struct {
	// pkg is a folder of the module. "x/..." covers x and all folders below
	// it; "." is the root.
	pkg string

	// ours are the folders of this module that its code may import.
	ours []string
	// oursInTests are those that its tests may import besides; every test
	// may also import the kits.
	oursInTests []string

	// langchain are the langchaingo packages that its code may import,
	// relative to the module: "llms", or "llms/..." with all below.
	langchain []string
	// langchainInTests are those that its tests may import besides.
	langchainInTests []string

	// kit marks a test kit: only tests and other kits may import it.
	kit bool
	// testsOnly marks a folder that holds nothing but _test.go files.
	testsOnly bool
}

// table is the plan of the house, from the ground up.
var table = []row{
	// Leaves.
	{pkg: "internal/text"},
	{pkg: "internal/arrows"},
	{pkg: "internal/clock"},  // a simulated time
	{pkg: "internal/redact"}, // secrets and personal data in texts
	{pkg: "internal/grounding", ours: []string{"internal/text"}},               // what a claim says beside what was said
	{pkg: "internal/said", ours: []string{"internal/text", "internal/topics"}}, // what a message says of its writer
	{pkg: "internal/topics", ours: []string{"internal/text"}},                  // what everyday things a text is about
	{pkg: "internal/poison"},                                                           // what was written for a model
	{pkg: "internal/evalset", ours: []string{"internal/text"}},                         // labelled conversations and their metrics
	{pkg: "internal/evalset/fts", ours: []string{"internal/evalset", "internal/text"}}, // what SQLite alone finds
	{pkg: "."},

	// Rooms.
	{pkg: "schema", ours: []string{"internal/text"}},
	// What becomes of a new claim is decided alike by day and by night: tools,
	// consolidate and extension share it.
	{pkg: "internal/claims", ours: []string{"schema", "internal/text", "internal/grounding", "internal/said"}},
	{pkg: "eventbus", ours: []string{"schema", "internal/text", "internal/redact"}},
	{pkg: "recall", ours: []string{"schema", "internal/text", "internal/topics"}},
	{
		// Events reach enrich through a handler type of its own: no eventbus.
		pkg:              "consolidate",
		ours:             []string{"schema", "recall", "internal/text", "internal/grounding", "internal/poison", "internal/redact", "internal/claims"},
		langchain:        []string{"llms", "embeddings"},
		langchainInTests: []string{anything},
	},
	{
		pkg:              "tools",
		ours:             []string{"schema", "recall", "internal/text", "internal/grounding", "internal/poison", "internal/claims", "internal/said"},
		langchain:        []string{"tools", "llms"},
		langchainInTests: []string{anything},
	},
	{
		pkg:         "extension",
		ours:        []string{"schema", "eventbus", "recall", "consolidate", "tools", "internal/text", "internal/redact", "internal/poison", "internal/claims", "internal/grounding", "internal/topics"},
		oursInTests: []string{"internal/clock"},
		langchain:   []string{anything},
	},

	// Users of the extension: its public API is all they see.
	{
		pkg: "cmd/ebb/...",
		// ebb eval is a command for users, so labelled sets are no test kit.
		ours:      []string{"extension", "eventbus", "internal/evalset", "internal/evalset/fts", "internal/learn", "internal/text", "internal/clock"},
		langchain: []string{"llms/...", "embeddings", "agents", "chains"},
		// The chat's tests talk to a real agent.
		langchainInTests: []string{anything},
	},
	{pkg: "examples/...", ours: []string{"extension", "eventbus"}, langchain: []string{anything}},
	{
		pkg:              "plugin_test",
		oursInTests:      []string{"extension", "eventbus", "internal/text", "internal/clock"},
		langchainInTests: []string{anything},
		testsOnly:        true,
	},
	{pkg: "internal/learn", ours: []string{"extension", "internal/evalset", "internal/grounding"}}, // facts for ebb eval
	{pkg: "internal/train/...", ours: []string{"recall", "extension", "internal/text", "internal/evalset", "internal/learn", "internal/said"}, langchain: []string{"embeddings", "llms/openai"}},

	// Test kits.
	{pkg: "internal/llmtest", langchain: []string{anything}, kit: true},               // scripted model
	{pkg: "internal/vfstest", kit: true},                                              // fault-injecting file system
	{pkg: "internal/kills", oursInTests: []string{"schema", "eventbus", "extension"}}, // kills processes and looks at what they leave
	{pkg: "internal/mutation", kit: true},                                             // defences and the tests that fail without them
	{pkg: "internal/racing", kit: true},                                               // whether the race detector is on
	{pkg: "internal/bustest", ours: []string{"schema", "eventbus"}, kit: true},        // conformance suite of buses
}
