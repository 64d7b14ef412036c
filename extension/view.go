package extension

import (
	"context"
	"slices"
	"time"

	"github.com/google/uuid"
	lcschema "github.com/tmc/langchaingo/schema"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
	"github.com/ebbmem/ebb/tools"
)

// What a model writes can come from anything it has in view. So an answer is
// trusted no more than the least trusted text that its conversation has put
// before the model: messages of users and tools, and what was recalled. This
// does not end with the turn: langchaingo's memories show a model its earlier
// turns again, and a tool's answer with them.

// view is what a conversation has put before its model. Its turn's lock guards
// it.
type view struct {
	// floor is the lowest trust in it.
	floor schema.Trust
	// read says that what earlier processes stored is in floor.
	read bool
	// answers are the ids of the answers since the user last spoke: a tool's
	// result that is reported after the answer was in view of it all the same.
	answers []string
}

// The roles of messages.
const (
	roleUser      = "user"
	roleAssistant = "assistant"
)

// maxAnswers bounds how many answers a late result can lower.
const maxAnswers = 64

func newView() view { return view{floor: schema.MaxTrust} }

// foreignTool is the trust of what a tool says that nobody vouches for.
var foreignTool = schema.OriginToolExternal.Ceiling()

// admit takes the messages of one conversation into a view, in order, and
// stamps the answers among them; those that others are not are left as they
// are. overtaken are the answers published before that had in view, as it
// turns out, what is trusted this little.
func (v *view) admit(events []eventbus.Event) (overtaken []string, level schema.Trust) {
	var here []int // answers among events since the user last spoke
	level = schema.MaxTrust
	for i := range events {
		e := &events[i]
		m, err := e.Message()
		if err != nil {
			continue
		}
		switch m.Role {
		case roleAssistant:
			if e.Trust == nil {
				trust := min(e.TrustLevel(), v.floor)
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
			v.floor = min(v.floor, e.TrustLevel())
		default:
			said := e.TrustLevel()
			v.floor = min(v.floor, said)
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

// unnamedView is how far back a conversation without a session's name reaches
// beyond this process: it has no other end.
const unnamedView = 24 * time.Hour

// storedView is the lowest trust of what was said and recalled in a
// conversation, as it is stored.
func (x *Extension) storedView(ctx context.Context, of Scope) (floor schema.Trust, err error) {
	floor = schema.MaxTrust
	err = x.db.Read(ctx, func(ctx context.Context, s *schema.Snapshot) error {
		userID, err := s.UserID(ctx, of)
		if err != nil || userID == 0 {
			return err
		}
		var since time.Time
		if of.Session == "" {
			since = x.cfg.Now().Add(-unnamedView)
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

// overtake lowers answers that turn out to have had in view what is trusted
// less than they are.
func (x *Extension) overtake(ctx context.Context, of Scope, answers []string, level schema.Trust) error {
	return x.db.Write(ctx, func(ctx context.Context, tx *schema.Tx) error {
		userID, err := tx.UserID(ctx, of)
		if err != nil {
			return err
		}
		for _, id := range answers {
			if err := tx.LowerTrust(ctx, userID, id, level, schema.Actor{Name: "host"}); err != nil {
				return err
			}
		}
		return nil
	})
}

// used takes into view what a tool of an agent's says. ebb's own tools report
// what they show themselves.
func (s *Session) used(tool string) {
	own := slices.ContainsFunc(s.tools, func(t *tools.Tool) bool { return text.Fold(t.Name()) == text.Fold(tool) })
	if !own {
		s.turn().shown(s.ext.toolTrust(tool))
	}
}

// toolTrust is how far a tool's answer may be believed, by the tool's name.
func (x *Extension) toolTrust(name string) schema.Trust {
	if slices.ContainsFunc(x.cfg.InternalTools, func(own string) bool { return text.Fold(own) == text.Fold(name) }) {
		return schema.OriginToolInternal.Ceiling()
	}
	return foreignTool
}

// agentOutput is under which key langchaingo's agents answer.
const agentOutput = "output"

// steps takes into view what the tools of an agent said, as far as the outputs
// of its run tell. An agent that does not tell its steps may have used any tool.
func (s *Session) steps(outputs map[string]any) {
	if steps, told := outputs["intermediateSteps"].([]lcschema.AgentStep); told {
		for _, step := range steps {
			s.used(step.Action.Tool)
		}
	} else if _, agent := outputs[agentOutput].(string); agent {
		s.turn().shown(foreignTool)
	}
}
