package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"reflect"
	"slices"
	"sync/atomic"
	"syscall"
	_ "time/tzdata" // for machines without a time zone database

	"github.com/alecthomas/kong"
	kongcompletion "github.com/jotaen/kong-completion"

	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/internal/build"
	_ "github.com/ebbmem/ebb/postgres" // memories on a server
)

// cli is the command line as kong reads it.
type cli struct {
	DB      string  `name:"db" env:"EBB_DB" default:"memory.db" type:"memory" placeholder:"FILE" help:"The memory: a file, or postgres://… (default memory.db)."`
	Key     string  `name:"key-file" env:"EBB_KEY_FILE" type:"path" placeholder:"FILE" help:"File with the key of an encrypted memory: 32 bytes or 64 hexadecimal digits (or set EBB_KEY to the digits)."`
	User    string  `env:"EBB_USER" placeholder:"NAME" help:"The user (default: the only user of the file)."`
	Tenant  string  `placeholder:"NAME" help:"The user's tenant (default: none)."`
	Profile string  `env:"EBB_PROFILE" placeholder:"NAME" help:"Profile for searches and nights: simple, dual, threetier, cognitive or fourstores (default simple); see docs/PROFILES.md."`
	JSON    bool    `name:"json" help:"Print one JSON document; errors are {\"error\", \"code\"} on standard error."`
	Now     instant `placeholder:"TIME" help:"Use this as the current time, such as 2026-03-01 or 2026-03-01T18:00:00Z (default: the clock)."`

	PrintVersion kong.VersionFlag `name:"version" help:"Print the version."`

	Demo        demoCmd        `cmd:"" help:"Watch a demo: seven weeks of a conversation, a restart, questions, forgetting. Needs no setup."`
	Chat        chatCmd        `cmd:"" help:"Talk to an agent that remembers (OpenAI-compatible or Ollama)."`
	Mcp         mcpCmd         `cmd:"" name:"mcp" help:"Serve a memory to an MCP client on standard input and output."`
	Setup       setupCmd       `cmd:"" help:"Configure an MCP client (Claude, Codex, Cursor, VS Code, Zed) to start ebb mcp."`
	Serve       serveCmd       `cmd:"" help:"Serve the memories of a file over HTTP: a JSON API and MCP."`
	Inspect     inspectCmd     `cmd:"" help:"Show a memory in a browser: questions, reasons, profile, timeline, nights, decisions."`
	Token       tokenCmd       `cmd:"" help:"Create, list and revoke tokens for ebb serve."`
	Search      searchCmd      `cmd:"" help:"Find memories."`
	Explain     explainCmd     `cmd:"" help:"Find memories and explain the rank of each."`
	Show        showCmd        `cmd:"" help:"Show one memory with its sources, entities and history."`
	Timeline    timelineCmd    `cmd:"" help:"List memories by the time of the events."`
	Profile_    profileCmd     `cmd:"" name:"profile" help:"Show the user's own statements that start every prompt."`
	Remember    rememberCmd    `cmd:"" help:"Store a fact as the user's own statement."`
	Correct     correctCmd     `cmd:"" help:"Replace the text of a fact."`
	Forget      forgetCmd      `cmd:"" help:"Hide memories, with the messages they come from; ebb undo brings them back."`
	Protect     protectCmd     `cmd:"" help:"Protect a fact, or all facts about an entity, from fading and change."`
	Stats       statsCmd       `cmd:"" help:"Count memories and report on the file's health."`
	Import      importCmd      `cmd:"" help:"Import conversations and memories: JSONL, exports of ChatGPT, Claude, Mem0 and others, or ebb's own."`
	Audit       auditCmd       `cmd:"" help:"Look through an export or a memory for what makes it worse; with --since or --actor: list who changed what."`
	Export      exportCmd      `cmd:"" help:"Export a memory as JSONL that ebb import reads."`
	Eval        evalCmd        `cmd:"" help:"Measure recall on labelled conversations."`
	Encoder     encoderCmd     `cmd:"" help:"Install and list encoders, which make searches by meaning possible."`
	Consolidate consolidateCmd `cmd:"" help:"Run a night now and report what it did."`
	Runs        runsCmd        `cmd:"" help:"List nights and other changes, with results and costs."`
	Undo        undoCmd        `cmd:"" help:"Revert what a night, a message or ebb forget did."`
	Reflect     reflectCmd     `cmd:"" help:"Ask for a reflection, grant its tokens, approve it (profile fourstores)."`
	Proposals   proposalsCmd   `cmd:"" help:"Decide on changes that nights and models propose."`
	Blocks      blocksCmd      `cmd:"" help:"Show core memory and its history, and revert changes."`
	Quarantine  quarantineCmd  `cmd:"" help:"List and release quarantined memories."`
	Backup      backupCmd      `cmd:"" help:"Copy the memory file while it is in use and verify the copy."`
	Restore     restoreCmd     `cmd:"" help:"Replace the memory file by a backup."`
	Migrate     migrateCmd     `cmd:"" help:"Copy the memory to another file or to a server."`
	Erase       eraseCmd       `cmd:"" help:"Permanently delete memories, conversations or a whole user."`
	Tenants     tenantsCmd     `cmd:"" help:"List the tenants of a folder and their files."`
	Doctor      doctorCmd      `cmd:"" help:"Check a file, even one that cannot be opened, and advise what to do."`
	Version     versionCmd     `cmd:"" help:"Print the version."`

	Completion completionCmd `cmd:"" help:"Complete commands in a shell: source <(ebb completion bash), or zsh, fish."`
}

const description = `Long-term memory for agents, in one file.

Exit codes: 0 done, 1 failure, 2 wrong usage or input, 3 not found, 4 the file is damaged or not a memory, 130 interrupted, 141 the reader of the output closed it.`

func main() {
	signal.Ignore(syscall.SIGPIPE) // a write fails instead, and what was opened is closed
	ctx, stop := untilInterrupted()
	code := run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr)
	stop()
	os.Exit(code)
}

type versionCmd struct{}

func (versionCmd) Run(a *app) error {
	v := build.Read()
	if a.json {
		return a.printJSON(v)
	}
	_, err := fmt.Fprintln(a.stdout, v)
	return err
}

// onInterrupt, if set, is asked about each Ctrl-C. It returns false to let the
// program end.
var onInterrupt atomic.Pointer[func() bool]

// untilInterrupted returns a context that ends with the first SIGTERM or Ctrl-C
// that onInterrupt does not take. The next one ends the process at once.
func untilInterrupted() (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		for {
			select {
			case s := <-signals:
				if taken := onInterrupt.Load(); s == os.Interrupt && taken != nil && (*taken)() {
					continue
				}
				signal.Stop(signals)
				cancel()
				return
			case <-ctx.Done():
				signal.Stop(signals)
				return
			}
		}
	}()
	return ctx, cancel
}

// exited is how kong's own exits (--help) leave the parser.
type exited int

// decodeMemory reads the name of a memory: a path, or the data source name of a server.
func decodeMemory(ctx *kong.DecodeContext, target reflect.Value) error {
	var name string
	if err := ctx.Scan.PopValueInto("memory", &name); err != nil {
		return err
	}
	if name != "" && !extension.IsServer(name) {
		name = kong.ExpandPath(name)
	}
	target.SetString(name)
	return nil
}

// printHelp is kong's help with a last line that fits a terminal of 60 columns.
func printHelp(options kong.HelpOptions, ctx *kong.Context) error {
	ctx.Model.HelpFlag = nil // without it kong prints no last line
	if err := kong.DefaultHelpPrinter(options, ctx); err != nil || ctx.Selected() != nil {
		return err
	}
	_, err := fmt.Fprint(ctx.Stdout, "\nRun \"ebb COMMAND --help\" for more about a command.\n")
	return err
}

// run is the whole program on given streams. It returns the exit code.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) (code int) {
	defer func() {
		switch r := recover().(type) {
		case nil:
		case exited:
			code = int(r)
		default: // a fault of ours; the stack would tell its user nothing
			code = report(stderr, nil, fmt.Errorf("a fault inside ebb: %v; please report it with the command line", r))
		}
	}()
	var c cli
	parser, err := kong.New(&c, kong.Name("ebb"), kong.Description(description), kong.Vars{"version": build.Read().String()},
		kong.Writers(stdout, stderr), kong.Exit(func(code int) { panic(exited(code)) }),
		kong.NamedMapper("memory", kong.MapperFunc(decodeMemory)), kong.Help(printHelp), kong.ConfigureHelp(kong.HelpOptions{Compact: true, WrapUpperBound: 100}))
	if err != nil {
		return report(stderr, nil, err)
	}
	kongcompletion.Register(parser)
	a := newApp(ctx, stdin, stdout, stderr)
	a.json = slices.Contains(args, "--json") // for errors of the command line itself
	a.hook = slices.Contains(args, "--hook")
	if len(args) == 0 {
		args = []string{"--help"}
	}
	parsed, err := parser.Parse(args)
	if err != nil {
		if _, ok := errors.AsType[*kong.ParseError](err); ok && !errors.Is(err, syscall.EPIPE) {
			err = &usageError{err.Error() + "; see ebb --help"}
		}
		return report(stderr, a, err)
	}
	a.db, a.user, a.tenant, a.now, a.json = c.DB, c.User, c.Tenant, c.Now.Time, c.JSON
	if slices.ContainsFunc(parsed.Flags(), func(f *kong.Flag) bool { return f.Name == "all-users" && f.Target.Bool() }) {
		a.user = ""
	}
	if a.key, err = readKey(c.Key); err != nil {
		return report(stderr, a, err)
	}
	a.asked, a.keyFile = c.Profile, c.Key
	if a.profile, err = profileNamed(c.Profile); err != nil {
		return report(stderr, a, err)
	}
	return report(stderr, a, parsed.Run(a))
}
