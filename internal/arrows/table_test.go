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
	{pkg: "internal/strictjson"},                             // JSON decoded without leniency
	{pkg: "internal/clock"},                                  // a simulated time
	{pkg: "internal/cells"},                                  // text on terminals
	{pkg: "internal/cpu"},                                    // what the processor offers to assembly
	{pkg: "internal/names", ours: []string{"internal/text"}}, // names of people and regions
	{pkg: "internal/idlist"},                                 // many row ids, in four bytes each
	{pkg: "internal/quickselect"},                            // the n-th largest of many values
	{pkg: "internal/redact"},                                 // secrets and personal data in texts
	{pkg: "internal/grounding", ours: []string{"internal/prefilter", "internal/text"}},                                                     // what a claim says beside what was said
	{pkg: "internal/intent", ours: []string{"internal/text", "internal/topics"}},                                                           // what the writer of a message wants
	{pkg: "internal/relevance", ours: []string{"internal/topics"}},                                                                         // how much a question needs a line
	{pkg: "internal/orders", ours: []string{"internal/prefilter"}},                                                                         // orders for now, and rules of work
	{pkg: "internal/said", ours: []string{"internal/intent", "internal/orders", "internal/prefilter", "internal/text", "internal/topics"}}, // what a message says of its writer
	{pkg: "internal/series", ours: []string{"internal/names", "internal/said", "internal/text", "internal/topics"}},                        // numbers that are reported again and again
	{pkg: "internal/topics", ours: []string{"internal/text"}},                                                                              // what everyday things a text is about
	{pkg: "internal/files"}, // how files get their names
	{pkg: "internal/build"}, // which build of ebb a program is
	{pkg: "internal/emotion", ours: []string{"internal/text"}},                                 // how the writer of a text feels
	{pkg: "internal/prefilter"},                                                                // expressions that few texts match
	{pkg: "internal/poison", ours: []string{"internal/prefilter", "internal/text"}},            // what was written for a model
	{pkg: "internal/evalset", ours: []string{"internal/text"}},                                 // labelled conversations and their metrics
	{pkg: "internal/evalset/fts", ours: []string{"internal/evalset", "internal/text"}},         // what SQLite alone finds
	{pkg: "encoder", ours: []string{"internal/cpu"}, langchainInTests: []string{"embeddings"}}, // sentence embeddings without a server
	{pkg: "."},

	// Rooms.
	{pkg: "internal/engine"}, // what a database is to the records: it knows none
	{pkg: "internal/sqlite", ours: []string{"internal/engine", "internal/files"}, oursInTests: []string{"schema"}}, // a database in a file; many of its tests store memories
	{pkg: "internal/postgres", ours: []string{"internal/engine"}},                                                  // a database on a server
	{pkg: "postgres", ours: []string{"internal/engine", "internal/postgres"}, oursInTests: []string{"schema", "eventbus", "extension", "extension/doctor"}, langchainInTests: []string{"llms"}},
	{pkg: "schema", ours: []string{"internal/engine", "internal/sqlite", "internal/strictjson", "internal/text"}},
	{pkg: "schema/core", ours: []string{"schema", "internal/engine", "internal/text"}, oursInTests: []string{"schema/erase"}},
	{pkg: "schema/erase", ours: []string{"schema", "schema/core", "internal/engine", "internal/text"}, oursInTests: []string{"schema/undo"}},
	{pkg: "schema/undo", ours: []string{"internal/engine", "internal/strictjson", "schema", "schema/core", "schema/erase"}},
	{pkg: "schema/vecstore", ours: []string{"schema", "internal/engine", "internal/text"}, oursInTests: []string{"internal/sqlite"}}, // the vectors of chunks, by generation
	{pkg: "schema/check", ours: []string{"schema", "schema/core", "schema/vecstore", "internal/engine", "internal/sqlite"}},          // what must hold of a file: rows, values, references
	{pkg: "schema/records", ours: []string{"schema", "schema/core", "internal/engine"}},                                              // a user's rows as the records of an export
	{pkg: "schema/inspect", ours: []string{"schema", "schema/vecstore", "internal/text"}},                                            // what a host is shown of a memory
	{pkg: "schema/pgvector", ours: []string{"schema", "schema/vecstore"}},                                                            // a user's nearest vectors, found by a server
	// What becomes of a new claim is decided alike by day and by night: tools,
	// consolidate and extension share it.
	{pkg: "internal/claims", ours: []string{"schema", "schema/core", "schema/erase", "recall/lexicon", "recall/reconcile", "internal/text", "internal/grounding", "internal/intent", "internal/names", "internal/orders", "internal/prefilter", "internal/said", "internal/series", "internal/topics"}},
	{pkg: "eventbus", ours: []string{"schema", "internal/engine", "internal/strictjson", "internal/text", "internal/redact"}},
	// For hosts with NATS JetStream; the extension does not import it.
	{pkg: "eventbus/jetstream", ours: []string{"eventbus", "schema", "internal/strictjson", "internal/text"}, oursInTests: []string{"extension"}},
	{pkg: "recall", ours: []string{"schema", "schema/pgvector", "schema/vecstore", "recall/background", "recall/diverse", "recall/fluency", "recall/lexicon", "recall/planner", "recall/retention", "recall/together", "recall/users", "internal/idlist", "internal/quickselect", "internal/text", "internal/topics"}, oursInTests: []string{"internal/sqlite"}},
	{pkg: "recall/background"}, // reads that yield to searches
	{pkg: "recall/users"},      // what is cached of each user
	{pkg: "recall/lexicon", ours: []string{"internal/idlist", "internal/intent", "internal/quickselect", "internal/text", "internal/topics"}}, // words: it knows no memory
	{pkg: "recall/fluency", ours: []string{"internal/topics"}},                                                                                // whether an embedder understands a language
	{pkg: "recall/diverse", ours: []string{"internal/text"}},                                                                                  // the order of results that do not repeat each other
	{pkg: "recall/planner", ours: []string{"internal/text", "internal/emotion"}},                                                              // how a question is taken apart
	{pkg: "recall/together", ours: []string{"schema", "schema/inspect"}},                                                                      // what was shown together
	{pkg: "recall/retention", ours: []string{"schema"}},                                                                                       // how memories fade
	{pkg: "recall/cognitive", ours: []string{"schema", "recall", "recall/planner", "recall/retention"}},                                       // the formulas of the Cognitive profile
	{pkg: "recall/reconcile", ours: []string{"schema", "recall", "internal/text"}},                                                            // what becomes of a new claim beside what is known
	{pkg: "recall/stores", ours: []string{"schema", "schema/core", "recall", "recall/retention"}},                                             // the stores of the FourStores profile
	// Brute-force search of vectors; a benchmark reads real ones from a database.
	{pkg: "recall/vector", ours: []string{"internal/cpu", "internal/quickselect"}, oursInTests: []string{"schema", "schema/vecstore"}},
	// Seconds later, without a model. Events reach it through the extension: no eventbus.
	{pkg: "consolidate/enrich", ours: []string{"schema", "internal/text", "internal/names", "internal/grounding"}},
	// Vectors in the background.
	{pkg: "consolidate/embed", ours: []string{"schema", "schema/vecstore"}, oursInTests: []string{"recall"}, langchain: []string{"embeddings"}, langchainInTests: []string{"embeddings/jina"}},
	// Questions to a model: budget, retries, parsing.
	{pkg: "consolidate/ask", ours: []string{"schema", "internal/text", "internal/redact"}, langchain: []string{"llms"}, langchainInTests: []string{anything}},
	{
		pkg:              "consolidate",
		ours:             []string{"schema", "schema/core", "schema/inspect", "schema/undo", "recall", "recall/reconcile", "recall/retention", "internal/text", "internal/names", "internal/grounding", "internal/poison", "internal/claims"},
		oursInTests:      []string{"schema/erase", "consolidate/dream", "consolidate/fourstores", "recall/cognitive", "recall/stores"},
		langchain:        []string{"llms"},
		langchainInTests: []string{anything},
	},
	// The dream cycle of the Cognitive profile.
	{pkg: "consolidate/dream", ours: []string{"schema", "recall/cognitive", "recall/reconcile", "recall/retention", "consolidate", "consolidate/appraise", "consolidate/ask", "consolidate/enrich", "internal/claims", "internal/poison", "internal/text"}, oursInTests: []string{"consolidate/fourstores", "recall/stores"}},
	// Stages and the reflection of the FourStores profile.
	{pkg: "consolidate/fourstores", ours: []string{"schema", "schema/core", "schema/undo", "recall/stores", "recall/retention", "consolidate", "consolidate/ask", "consolidate/dream", "internal/grounding", "internal/poison", "internal/text"}, oursInTests: []string{"extension/doctor"}, langchain: []string{"llms"}},
	// How important a message is beside what is remembered.
	{pkg: "consolidate/relation", ours: []string{"schema", "internal/claims", "internal/grounding", "internal/names", "internal/text"}}, // two claims beside each other
	{pkg: "consolidate/schedule", ours: []string{"consolidate", "schema"}},                                                              // which local days are due, and when nights run
	{pkg: "consolidate/appraise", ours: []string{"schema", "recall", "internal/emotion", "internal/text"}},
	{
		pkg:              "tools",
		ours:             []string{"schema", "schema/core", "recall", "recall/lexicon", "recall/reconcile", "recall/stores", "internal/text", "internal/grounding", "internal/poison", "internal/claims", "internal/said", "internal/topics"},
		oursInTests:      []string{"schema/erase"}, // an erasure beside a tool
		langchain:        []string{"tools", "llms"},
		langchainInTests: []string{anything},
	},
	// What waiting proposals are about.
	{pkg: "internal/proposed", ours: []string{"schema", "consolidate", "tools"}},
	// The texts of a turn among a chain's values.
	{pkg: "internal/chain", ours: []string{"schema"}, langchain: []string{anything}},
	// What stands in a prompt beside results: the core section, short ids.
	{pkg: "internal/prompt", ours: []string{"schema", "schema/core", "recall", "recall/cognitive", "recall/fluency", "recall/lexicon", "recall/vector", "consolidate", "internal/claims", "internal/grounding", "internal/intent", "internal/names", "internal/orders", "internal/poison", "internal/prefilter", "internal/relevance", "internal/said", "internal/series", "internal/text", "internal/topics"}},
	// The parts of an open memory and the lower half of the publish path.
	{pkg: "internal/memory", ours: []string{"schema", "schema/core", "schema/inspect", "eventbus", "recall", "consolidate", "consolidate/embed", "consolidate/schedule", "internal/redact", "internal/poison"}},
	{pkg: "extension/transfer", ours: []string{"schema", "schema/core", "schema/erase", "schema/records", "eventbus", "consolidate", "tools", "internal/memory", "internal/strictjson", "internal/text", "internal/poison"}},
	{
		pkg:         "extension",
		ours:        []string{"extension/transfer", "internal/engine", "schema", "schema/core", "schema/erase", "schema/inspect", "schema/undo", "schema/vecstore", "eventbus", "recall", "recall/cognitive", "recall/lexicon", "recall/planner", "recall/reconcile", "recall/retention", "recall/stores", "consolidate", "consolidate/appraise", "consolidate/ask", "consolidate/dream", "consolidate/embed", "consolidate/enrich", "consolidate/fourstores", "consolidate/schedule", "tools", "internal/chain", "internal/memory", "internal/prompt", "internal/proposed", "internal/text", "internal/poison", "internal/claims", "internal/grounding", "internal/said", "internal/topics"},
		oursInTests: []string{"consolidate/relation", "extension/doctor", "schema/check", "internal/clock"},
		langchain:   []string{anything},
	},
	// It opens a memory as a host does, and reads the file from outside.
	{pkg: "extension/doctor", ours: []string{"extension", "extension/transfer", "schema", "schema/check", "schema/erase", "schema/inspect", "schema/undo", "schema/vecstore", "eventbus", "consolidate", "consolidate/embed", "consolidate/enrich", "internal/memory", "internal/proposed", "internal/sqlite"}, oursInTests: []string{"schema/core"}, langchainInTests: []string{anything}},

	// What a history holds that makes a memory worse.
	{pkg: "extension/audit", ours: []string{"extension", "extension/transfer", "schema", "schema/inspect", "internal/poison", "internal/redact", "internal/said", "internal/text"}, oursInTests: []string{"extension", "internal/clock"}},
	// A memory as a folder of files for people.
	{pkg: "extension/markdown", ours: []string{"extension", "schema", "schema/records", "recall/stores", "consolidate/fourstores", "tools"}, oursInTests: []string{"extension/transfer", "eventbus"}},
	{pkg: "extension/migrate", ours: []string{"extension", "extension/transfer", "schema", "schema/erase", "schema/records"}, oursInTests: []string{"eventbus"}}, // to another engine, with the receipts of erasures
	{pkg: "extension/tenants", ours: []string{"schema/erase", "extension", "schema", "internal/files", "internal/memory", "internal/sqlite"}, oursInTests: []string{"eventbus", "extension/transfer", "consolidate", "recall", "internal/clock"}},

	// Servers for programs that are not in Go; the extension imports none of them.
	{pkg: "internal/link"}, // how a program finds the server that has a file open
	{pkg: "internal/mcpserver", ours: []string{"extension", "eventbus", "schema", "recall", "tools", "internal/link", "internal/strictjson", "internal/text"}},

	{pkg: "internal/server", ours: []string{"consolidate/fourstores", "internal/engine", "internal/link", "internal/memory", "internal/mcpserver", "extension", "eventbus", "schema", "schema/inspect", "schema/records", "schema/undo", "tools", "internal/strictjson", "internal/text"}},
	// The page on which people look at a memory. What the extension has no call for it reads from schema.
	{pkg: "internal/inspector", ours: []string{"consolidate/fourstores", "recall", "extension", "schema", "schema/inspect", "schema/undo", "internal/memory", "internal/text"}, oursInTests: []string{"eventbus", "internal/server", "internal/clock"}},
	{pkg: "internal/inspector/browser", oursInTests: []string{"internal/inspector", "extension", "eventbus", "schema", "tools", "internal/server", "internal/clock", "internal/racing"}, testsOnly: true},
	// Spans and metrics of a memory, for hosts with OpenTelemetry.
	{pkg: "telemetry", ours: []string{"extension", "internal/memory"}, oursInTests: []string{"eventbus", "schema"}},
	{pkg: "internal/encoders", ours: []string{"encoder"}},      // encoders in the data folder: copied or downloaded
	{pkg: "internal/clients", ours: []string{"internal/link"}}, // configuration files of programs that start ebb

	// Users of the extension: its public API is all they see.
	{
		pkg: "cmd/ebb/...",
		// ebb eval is a command for users, so labelled sets are no test kit.
		ours:      []string{"consolidate/ask", "consolidate/fourstores", "extension", "extension/audit", "extension/doctor", "extension/markdown", "extension/migrate", "extension/tenants", "extension/transfer", "eventbus", "encoder", "postgres", "internal/build", "internal/cells", "internal/clients", "internal/encoders", "internal/evalset", "internal/files", "internal/measure", "internal/inspector", "internal/mcpserver", "internal/server", "internal/text", "internal/clock"},
		langchain: []string{"llms/...", "embeddings", "agents", "chains"},
		// The chat's tests talk to a real agent.
		langchainInTests: []string{anything},
	},
	{pkg: "examples/...", ours: []string{"extension", "eventbus", "eventbus/jetstream"}, langchain: []string{anything}},
	{
		pkg:              "plugin_test",
		oursInTests:      []string{"consolidate/fourstores", "extension", "extension/audit", "extension/transfer", "eventbus", "encoder", "recall", "recall/retention", "internal/text", "internal/clock"},
		langchainInTests: []string{anything},
		testsOnly:        true,
	},
	// Lives and a team's stream, played for ebb eval.
	{pkg: "internal/measure", ours: []string{"extension", "extension/transfer", "eventbus", "internal/clock", "internal/evalset", "internal/evalset/fts", "internal/grounding"}, langchain: []string{"llms"}},

	// Test kits.
	{pkg: "internal/llmtest", langchain: []string{anything}, kit: true},                                   // scripted model
	{pkg: "internal/vfstest", kit: true},                                                                  // fault-injecting file system
	{pkg: "internal/kills", oursInTests: []string{"schema", "eventbus", "extension", "extension/doctor"}}, // kills processes and looks at what they leave
	{pkg: "internal/fleet", oursInTests: []string{"schema", "eventbus", "eventbus/jetstream", "extension", "extension/doctor", "postgres"}, langchainInTests: []string{"llms"}}, // hosts on one server, killed
	{pkg: "internal/mutation", kit: true}, // defences and the tests that fail without them
	{pkg: "internal/pgtest", kit: true},   // a private PostgreSQL server
	{pkg: "internal/memtest", ours: []string{"schema", "internal/engine", "internal/pgtest", "postgres"}, kit: true}, // databases of memories
	{pkg: "internal/vectortest", kit: true},                                    // embedding vectors
	{pkg: "internal/wording"},                                                  // banned words in comments
	{pkg: "internal/racing", kit: true},                                        // whether the race detector is on
	{pkg: "internal/bustest", ours: []string{"schema", "eventbus"}, kit: true}, // conformance suite of buses
}
