package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/tmc/langchaingo/agents"
	"github.com/tmc/langchaingo/chains"
	"github.com/tmc/langchaingo/llms"

	"github.com/ebbmem/ebb/cmd/ebb/records"
	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/internal/cells"
)

type chatCmd struct {
	provider
	localEncoder

	Agent   string `enum:"auto,functions,conversational" default:"auto" help:"How the model calls tools: functions (by its API) or conversational (in its text); auto selects by provider."`
	Session string `placeholder:"NAME" help:"Name of this conversation (default: a new name with the time)."`
}

// Help documents what can be typed and the JSON.
func (chatCmd) Help() string {
	return `Each input line is a message. /why shows the memories the model got for the last answer, /help lists the commands, /quit or the end of the input ends the chat. Input may be a pipe. On a terminal, Ctrl-C stops an answer, or ends the chat between answers.

With --json: one object a line for each turn, {"input", "output", "recalled": [{"rank", "score", "memory"}]}.`
}

const chatSystemMessage = `You are a warm, attentive assistant with a long-term memory of this user. ` +
	`Records from memory may stand before the user's message: use them when they help, and say so when you are not sure. ` + chatToolsMessage

const (
	chatToolsMessage   = `Use the tools to look something up, to remember a lasting fact, or to correct one.`
	chatNoToolsMessage = `What the user tells you is remembered without your help.`
)

// turnView is one line of `ebb chat --json`.
type turnView struct {
	Input    string       `json:"input"`
	Output   string       `json:"output"`
	Recalled []resultView `json:"recalled"`
}

func (c *chatCmd) Run(a *app) (err error) {
	model, name, err := c.provider.connect()
	if err != nil {
		return err
	}
	if err := a.needUser(); err != nil {
		return err
	}
	seen := new(recalls)
	cfg := a.profile.config()
	if err := c.localEncoder.connect(cfg); err != nil {
		return err
	}
	cfg.Hooks.OnRecall = func(_ extension.Scope, _ string, answer *extension.Answer) { seen.add(answer) }
	x, err := a.openWith(cfg)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.leave(x)) }()
	scope := a.scope()
	if scope.Session = c.Session; scope.Session == "" {
		scope.Session = a.sessionName("chat")
	}
	session, err := x.Session(scope)
	if err != nil {
		return err
	}
	given := &givenBlock{Model: model}
	if c.callsFunctions() {
		asked := &toolless{Model: model, tell: a.tell}
		for _, t := range session.Tools() {
			asked.tools = append(asked.tools, t.Name())
		}
		given.Model = asked
	}
	given.block.Store(new(string))
	talk := &conversation{app: a, page: a.page(), chain: c.executor(given, session), given: given, seen: seen, keepGoing: isTerminal(a.stdin)}
	if talk.keepGoing {
		onInterrupt.Store(new(talk.stopAnswer))
		defer onInterrupt.Store(nil)
	}
	if talk.keepGoing && !a.json {
		talk.page.Note(cells.Dim, "", fmt.Sprintf("%s, remembering %s in %s.", name, scope.User, extension.Redacted(a.db)))
		talk.page.Note(cells.Dim, "", "/help lists the commands, /quit ends.")
	}
	return talk.run()
}

var chatHelp = [][]string{
	{"/why", "shows what memory gave the model for the last answer"},
	{"/help", "shows this"},
	{"/quit", "ends the chat; so does Ctrl-D, and Ctrl-C between answers"},
}

func isTerminal(stream any) bool {
	_, ok := terminal(stream)
	return ok
}

// callsFunctions reports whether the model calls tools by its API.
func (c *chatCmd) callsFunctions() bool {
	return c.Agent == "functions" || c.Agent == "auto" && c.choose() == "openai"
}

// executor is a langchaingo agent as a host would build it: the session's
// tools, the session's memory, and the option its prompt needs.
func (c *chatCmd) executor(model llms.Model, session *extension.Session) *agents.Executor {
	memory := session.Memory()
	var agent agents.Agent
	if c.callsFunctions() {
		agent = agents.NewOpenAIFunctionsAgent(model, session.Tools(),
			agents.NewOpenAIOption().WithSystemMessage(chatSystemMessage), memory.ForOpenAIFunctions())
	} else {
		agent = agents.NewConversationalAgent(model, session.Tools())
	}
	return agents.NewExecutor(agent, agents.WithMemory(memory),
		// A small model that forgets the format is corrected; the turn does not fail.
		agents.WithParserErrorHandler(agents.NewParserErrorHandler(func(string) string {
			return `That was not in the format. To answer, write "AI:" and the answer; to use a tool, write "Action:" and "Action Input:" lines.`
		})))
}

// conversation is the loop from a line of input to a line of output.
type conversation struct {
	app       *app
	page      *page
	chain     chains.Chain
	given     *givenBlock
	seen      *recalls
	keepGoing bool // after a turn that failed: a person can try again
	last      []extension.Result

	mu     sync.Mutex
	cancel context.CancelFunc // of the answer that is under way; nil between answers
}

// stopAnswer stops the answer that is under way and reports whether one was.
func (c *conversation) stopAnswer() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.cancel == nil {
		return false
	}
	c.cancel()
	return true
}

// answering is the context of one answer; done ends it.
func (c *conversation) answering() (ctx context.Context, done func()) {
	ctx, cancel := context.WithCancel(c.app.ctx)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cancel = cancel
	return ctx, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.cancel = nil
		cancel()
	}
}

func (c *conversation) run() error {
	lines := readLines(c.app.ctx, c.app.stdin)
	for {
		if c.keepGoing && !c.app.json {
			fmt.Fprint(c.app.stdout, c.page.In(cells.Bold, "> "))
		}
		select {
		case <-c.app.ctx.Done():
			return c.app.ctx.Err()
		case l, ok := <-lines:
			if !ok {
				return c.page.Err
			}
			if l.err != nil {
				return fmt.Errorf("reading the input: %w", l.err)
			}
			done, err := c.take(strings.TrimSpace(l.text))
			if done || err != nil {
				return err
			}
		}
	}
}

// take handles one line of input.
func (c *conversation) take(input string) (done bool, err error) {
	switch {
	case input == "":
		return false, nil
	case input == "/quit", input == "/exit":
		return true, nil
	case input == "/why":
		c.why()
		return false, c.page.Err
	case input == "/help":
		c.page.Table("", chatHelp)
		c.page.Say("Everything else is said to the model. Ctrl-C stops its answer.")
		return false, c.page.Err
	case strings.HasPrefix(input, "/"):
		c.app.tell(cells.OneLine(input, 40) + " is no command; there are /why, /help and /quit")
		return false, nil
	}
	c.seen.take()
	c.given.block.Store(new(string))
	ctx, answered := c.answering()
	defer answered()
	outputs, err := chains.Call(ctx, c.chain, map[string]any{"input": input})
	c.last = c.seen.take()
	if err != nil && ctx.Err() != nil && c.app.ctx.Err() == nil {
		c.app.tellInterrupt("the answer was stopped")
		return false, nil
	}
	if err != nil {
		if c.app.ctx.Err() != nil {
			return false, c.app.ctx.Err()
		}
		err = fmt.Errorf("no answer from the model: %w", err)
		if !c.keepGoing {
			return false, err
		}
		c.app.tell(message(c.app, err))
		return false, nil
	}
	output, _ := outputs["output"].(string)
	return false, c.answer(input, strings.TrimSpace(output))
}

func (c *conversation) answer(input, output string) error {
	if !c.app.json {
		c.page.Body("", "", output)
		return c.page.Err
	}
	turn := turnView{Input: input, Output: output, Recalled: []resultView{}}
	for _, r := range c.last {
		turn.Recalled = append(turn.Recalled, resultView{Rank: r.Rank, Score: r.Score, Memory: r.Memory})
	}
	return json.NewEncoder(c.app.stdout).Encode(turn)
}

func (c *conversation) why() {
	block := *c.given.block.Load()
	if block == "" && len(c.last) == 0 {
		c.page.Line("Memory gave nothing for the last answer.")
	}
	if block != "" {
		c.page.Line("The model was given:")
		c.page.Note(cells.Dim, "  ", block)
	}
	if len(c.last) > 0 {
		c.page.Line("Why the records are among it:")
	}
	for _, r := range c.last {
		c.page.result(r, nil)
		records.Reasons(c.page.Page, r)
	}
}

// givenBlock is a model that keeps the block of memory in what it is asked.
type givenBlock struct {
	llms.Model

	block atomic.Pointer[string]
}

var memoryBlock = regexp.MustCompile(`(?s)<memory nonce=.*?</memory nonce="\w+">`)

// GenerateContent implements [llms.Model].
func (g *givenBlock) GenerateContent(ctx context.Context, messages []llms.MessageContent, options ...llms.CallOption) (*llms.ContentResponse, error) {
	for _, m := range messages {
		for _, part := range m.Parts {
			if text, ok := part.(llms.TextContent); ok && *g.block.Load() == "" {
				g.block.Store(new(memoryBlock.FindString(text.Text)))
			}
		}
	}
	return g.Model.GenerateContent(ctx, messages, options...)
}

// recalls collects the memories that were shown to the model, by injection or by a
// tool.
type recalls struct {
	mu    sync.Mutex
	shown []extension.Result
}

func (r *recalls) add(answer *extension.Answer) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.shown = append(r.shown, answer.Results...)
}

// take returns the collected memories and empties the collection.
func (r *recalls) take() []extension.Result {
	r.mu.Lock()
	defer r.mu.Unlock()
	shown := r.shown
	r.shown = nil
	return shown
}

type inputLine struct {
	text string
	err  error
}

// readLines reads in the background, so that an interrupt need not wait for a
// line. The channel closes at the end of the input.
func readLines(ctx context.Context, from io.Reader) <-chan inputLine {
	lines := make(chan inputLine)
	go func() {
		defer close(lines)
		reader := bufio.NewReader(from)
		for {
			text, err := reader.ReadString('\n')
			if text == "" && errors.Is(err, io.EOF) {
				return
			}
			l := inputLine{text: text}
			if err != nil && !errors.Is(err, io.EOF) {
				l = inputLine{err: err}
			}
			select {
			case lines <- l:
			case <-ctx.Done():
				return
			}
			if err != nil {
				return
			}
		}
	}()
	return lines
}
