package extension

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/google/uuid"
	lcschema "github.com/tmc/langchaingo/schema"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/tools"
)

// A model's answer can come from anything in its context. So an answer is trusted
// no more than the least trusted text the model has been shown in the conversation:
// messages of users and tools, and recalled memories. This does not end with the
// turn, since langchaingo's memories repeat earlier turns and with them the tools'
// answers.

// exposure is what a conversation's model has been exposed to. The
// conversation's lock guards it.
type exposure struct {
	// minTrust is the lowest trust the model has been exposed to.
	minTrust schema.Trust
	// read is set once minTrust includes what is stored of the conversation.
	read bool
	// answers are the ids of the answers since the user's last message. A tool
	// result that is reported after them lowers their trust too.
	answers []string
}

// The roles of messages.
const (
	roleUser      = "user"
	roleAssistant = "assistant"
)

// maxAnswers bounds how many answers a late tool result can lower.
const maxAnswers = 64

func newExposure() exposure { return exposure{minTrust: schema.MaxTrust} }

// foreignTool is the trust of the output of a tool that is not in
// Config.Tools.Trusted.
var foreignTool = schema.OriginToolExternal.Ceiling()

// admit adds messages of one conversation to the exposure in order, and sets the trust
// of what models wrote among them. It returns earlier answers whose trust a tool result
// among the events lowers, and the level to lower them to.
func (v *exposure) admit(events []eventbus.Event) (overtaken []string, level schema.Trust) {
	var here []int // indexes of answers since the user's last message
	level = schema.MaxTrust
	for i := range events {
		e := &events[i]
		m, err := e.Message()
		if err != nil {
			continue
		}
		role := m.Role
		if isTask := role == roleUser && e.Origin == schema.OriginAssistant && e.Trust == nil; isTask { // for another agent: a model wrote it
			role = roleAssistant
		}
		switch role {
		case roleAssistant:
			if e.Trust == nil {
				trust := min(e.TrustLevel(), v.minTrust)
				e.Trust = &trust
				here = append(here, i)
				if e.ID == "" {
					e.ID = uuid.NewString()
				}
				if v.answers = append(v.answers, e.ID); len(v.answers) > maxAnswers {
					v.answers = v.answers[1:]
				}
			}
		case roleUser:
			here, v.answers = nil, nil
			v.minTrust = min(v.minTrust, e.TrustLevel())
		default:
			said := e.TrustLevel()
			v.minTrust = min(v.minTrust, said)
			for _, at := range here {
				trust := min(*events[at].Trust, said)
				events[at].Trust = &trust
			}
			if len(v.answers) > 0 {
				overtaken, level = slices.Clone(v.answers), min(level, said)
			}
		}
	}
	return overtaken, level
}

// unnamedWindow is how far back a conversation without a session name reaches in the
// store.
const unnamedWindow = 24 * time.Hour

// storedExposure returns the lowest trust of what is stored as said and recalled in a
// conversation.
func (x *Extension) storedExposure(ctx context.Context, of Scope) (floor schema.Trust, err error) {
	floor = schema.MaxTrust
	err = x.db.ReadUser(ctx, of, func(ctx context.Context, s *schema.Snapshot, userID int64) (err error) {
		var since time.Time
		if of.Session == "" {
			since = x.cfg.Now().Add(-unnamedWindow)
		}
		if floor, err = s.LeastTrusted(ctx, userID, of.Session, since); err != nil || len(x.cfg.CoreMemory.Blocks) == 0 {
			return err
		}
		blocks, err := s.LeastTrustedBlock(ctx, userID, of.Session, since)
		floor = min(floor, blocks)
		return err
	})
	return floor, err
}

// exposes returns the lowest trust to which results expose a model: their own if it cannot be
// read whether an agent had seen only the user's words. It reads the database only for what an
// agent saved, which is never injected automatically.
func (x *Extension) exposes(results []Result) schema.Trust {
	level := schema.MaxTrust
	var ids []int64
	own := schema.MaxTrust
	for _, r := range results {
		if r.Memory.Attributes[schema.AttrSeen] == schema.SeenUser {
			ids, own = append(ids, r.Memory.ID), min(own, r.Memory.Trust)
		} else {
			level = min(level, r.Memory.Trust)
		}
	}
	if len(ids) == 0 || level <= own {
		return level
	}
	ctx, cancel := context.WithTimeout(context.Background(), recordTime) // a cancelled turn has shown them, too
	defer cancel()
	err := x.db.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		least, err := s.Exposes(ctx, results[0].Memory.UserID, ids)
		if err == nil {
			own = least
		}
		return err
	})
	if err != nil && !errors.Is(err, schema.ErrNotFound) { // erased in the meantime
		x.report("memory", err)
	}
	return min(level, own)
}

// lowerTrust lowers the trust of stored answers to level.
func (x *Extension) lowerTrust(ctx context.Context, of Scope, answers []string, level schema.Trust) error {
	err := x.db.WriteUser(ctx, of, func(ctx context.Context, tx *schema.Tx, userID int64) error {
		for _, id := range answers {
			if err := tx.LowerTrust(ctx, userID, id, level, schema.Actor{Name: "host"}); err != nil {
				return err
			}
		}
		return nil
	})
	if errors.Is(err, ErrNotFound) { // erased in the meantime
		return nil
	}
	return err
}

// toolUsed adds an agent's tool call to the exposure. ebb's own tools report what they show
// themselves.
func (s *Session) toolUsed(tool string) {
	own := slices.ContainsFunc(s.tools, func(t *tools.Tool) bool { return text.Fold(t.Name()) == text.Fold(tool) })
	if !own {
		s.conversation().expose(s.ext.toolTrust(tool))
	}
}

// isTrusted reports whether e is the result of a tool in Config.Tools.Trusted, and its publisher
// set no lower trust.
func (x *Extension) isTrusted(e *eventbus.Event) bool {
	if e.Topic != eventbus.TopicToolResult || e.Origin != schema.OriginToolExternal || e.Trust != nil {
		return false
	}
	m, err := e.Message()
	return err == nil && m.Tool != "" && x.toolTrust(m.Tool) > foreignTool
}

// toolTrust returns the trust of a tool's output, given the tool's name.
func (x *Extension) toolTrust(name string) schema.Trust {
	if slices.ContainsFunc(x.cfg.Tools.Trusted, func(own string) bool { return text.Fold(own) == text.Fold(name) }) {
		return schema.OriginToolInternal.Ceiling()
	}
	return foreignTool
}

// agentOutput is the output key of langchaingo's agents.
const agentOutput = "output"

// agentSteps adds the tools that an agent called to the exposure. An agent that does not
// return its agentSteps may have called any tool.
func (s *Session) agentSteps(outputs map[string]any) {
	if steps, told := outputs["intermediateSteps"].([]lcschema.AgentStep); told {
		for _, step := range steps {
			s.toolUsed(step.Action.Tool)
		}
	} else if _, agent := outputs[agentOutput].(string); agent {
		s.conversation().expose(foreignTool)
	}
}
