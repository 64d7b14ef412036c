package claims

import (
	"context"
	"regexp"
	"slices"
	"strings"

	"github.com/ebbmem/ebb/internal/prefilter"
	"github.com/ebbmem/ebb/internal/said"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
)

// Ways in which an assistant asks back: whether it shall forget something, in other words, which
// are also said of texts and appointments, or only what is meant.
var (
	asksToForget = prefilter.New(`(?i)\b(?:i|me)(?:['’](?:d|ll))?(?: (?:should|could|can|to|would|will|also|just|now|then))* forget\b|\bich\b[^.?!]*\bverg(?:ess|iss)|(?:^|[^\pL])olvid[eo](?:[^\pL]|$)|[要让讓想请請帮][^，。？！]{0,6}忘[掉记記了]|不再提|當冇`)
	asksToRemove = prefilter.New(`(?i)\b(?:delete|remove|erase|drop|wipe|scrub|get rid|take (?:out|off|away)|take [^.?!]{1,30} out|lösch|streich|entfern|tilg|(?:raus|weg)(?:[^\pL]|$))`,
		`(?i)(?:^|[^\pL])(?:borr|elimin|quit[oe]|suprim|saco)`, `删|刪|抹|清[掉除空了]|去掉|划掉`)
	asksMeant = prefilter.New(`(?i)\b(?:you mean(?:[^\pL ]|$| (?:[^t]|t[^o]|to[^ ]))|meinst|meinen sie|gemeint|geht es um|es geht um|talking about)|(?:^|[^\pL])(?:refieres?|hablas?|trata)(?:[^\pL]|$)`,
		`[你您](?:是|係咪)?[说指想让]|对吗|对吧|对不对|是吗|是吧|確認|确认`)
	ofTexts = prefilter.New(`(?i)\b(?:paragraph|sentence|line|word|letter|e-?mail|draft|text|essay|file|folder|list|table|column|row|calendar|reminder|alarm|chat|group|cart|basket|photo|playlist|app|absatz|absätze|satz|sätze|zeile|brief|mail|entwurf|datei|ordner|liste|tabelle|spalte|kalender|wecker|gruppe|warenkorb|foto)s?\b|(?:^|[^\pL])(?:párrafo|frase|línea|palabra|carta|correo|borrador|texto|archivo|carpeta|lista|tabla|columna|fila|calendario|recordatorio|alarma|grupo|carrito|foto)s?(?:[^\pL]|$)`,
		`段落|邮件|文件|文章|作文|清单|列表|表格|日历|日程|提醒|闹钟|购物车|照片|[个该本进出]群`)
)

// keepsIt matches sentences that say not to forget, or that something was
// forgotten by mistake, asksOf a question that only asks for a yes, and asksWhich one that
// a yes does not answer.
var (
	keepsIt = prefilter.New(`(?i)(?:n['’]?t|\bnot|\bnever|\bdid i|\brather than|\binstead of|\bwithout)(?: \pL+){0,4}? forget|\bi(?:['’]ll| will)? (?:keep|leave)\b`,
		`(?i)\b(?:nicht|nie|niemals)(?: \pL+){0,2} vergess|\bvergess\pL* (?:\pL+ ){0,3}?(?:nicht|nie)\b|\b(?:habe?|hatte) ich\b[^.?!]*vergessen|\bich (?:behalte|lasse)\b`,
		`(?i)(?:^|[^\pL])(?:no|nunca)(?: \pL+){0,4}? olvid|(?:^|[^\pL])(?:en vez|en lugar) de olvid`, `(?:别|別|没|沒|莫|(?:^|[^是要想])不)[要会會能再想让讓我]{0,4}忘`)
	// asking matches the words of the question itself, which a memory may hold by chance.
	asking    = regexp.MustCompile(`(?i)\b(?:forget|delete|remove|erase|verg[ei]ss|lösch|streich|entfern)\pL*|(?:^|[^\pL])(?:olvid|borr|elimin|quit|recuerd)\pL*|[要让讓想]?[我你您]?忘[掉记記了]?|删[掉除]?`)
	asksOf    = regexp.MustCompile(`(?i)\b(?:right|correct|ok|okay|yes|(?:stimmt|passt)(?: das| so)*|richtig|ja|so)\PL*$|así|correcto|对|對|是吗|是吧|可以|好吗|确认`)
	asksWhich = regexp.MustCompile(`(?i)\b(?:or|oder)\b|(?:^|[^\pL])o (?:l[oa]s? |me |mejor|prefieres|no)|还是|還是`)
)

// whatItAsks returns an assistant's answer to a message without what it says not to forget, if
// its last question is whether to forget what the message asks to forget: "Shall I forget
// that you went to see a lawyer?", "Do you mean the lawyer?". Who edits a text, a list or a
// calendar asks to remove things too.
func whatItAsks(answer, message string) string {
	parts := slices.DeleteFunc(text.Sentences(answer), keepsIt.MatchString)
	last := len(parts) - 1
	for ; last >= 0 && !strings.ContainsAny(parts[last], "?？"); last-- {
	}
	if last < 0 || asksWhich.MatchString(parts[last]) {
		return ""
	}
	asks := func(s string) bool { return asksToForget.MatchString(s) }
	if slices.ContainsFunc(said.Requests(message), func(q said.Request) bool { return q.Verb == said.Forget }) && !ofTexts.MatchString(answer+" "+message) {
		asks = func(s string) bool {
			return asksToForget.MatchString(s) || asksToRemove.MatchString(s) || asksMeant.MatchString(s)
		}
	}
	whole := strings.Join(parts, " ")
	if len(ToForget(message)) > 0 && (asks(strings.Join(parts[last:], " ")) || asksOf.MatchString(parts[last]) && asks(whole)) {
		return whole
	}
	return ""
}

// leastCalled is the probability from which a message asks to forget something if somebody
// else takes it for a request: a model that calls a tool for it, or an assistant that asks
// back. Of 4,500 messages of lives that ask for nothing 6 % are above that.
const leastCalled = 0.03

// ToForget returns the requests to forget in such a message.
func ToForget(message string) []said.Request {
	requests := slices.DeleteFunc(said.Requests(message), func(q said.Request) bool { return q.Verb != said.Forget })
	if q, is := said.LooseForget(message, leastCalled); is && len(requests) == 0 {
		requests = append(requests, q)
	}
	return requests
}

// agreedTo is how many messages before the user agrees are searched for what she asked to
// forget.
const agreedTo = 7

// Agreed carries out a user's request to forget for which nothing was clearly meant, if the
// assistant has asked back, naming something, and m, of the same speaker, agrees: the
// assistant's words are the object then. In between the user may only have said no. It
// reports whether something was forgotten by that, or was and the host has undone it, and
// does nothing for other messages.
//
// Errors: those of [Reader.Read].
func (r *Reader) Agreed(ctx context.Context, owner schema.Scope, m *schema.Memory) (agreed bool, err error) {
	if !Own(m) || !text.Agrees(m.Content) {
		return false, nil
	}
	before, err := schema.Get(ctx, r.DB, func(ctx context.Context, s *schema.Snapshot) ([]schema.Memory, error) {
		return s.Before(ctx, m, agreedTo)
	})
	if err != nil || len(before) == 0 || before[0].Origin != schema.OriginAssistant || before[0].State != schema.StateActive {
		return false, err
	}
	answer := &before[0]
	for i := range before {
		switch b := &before[i]; {
		case b.Role != "user": // other answers, and results of tools
		case !Own(b) || b.Speaker != m.Speaker:
			return false, nil
		default:
			object := whatItAsks(answer.Content, b.Content)
			if object == "" {
				if text.Denies(b.Content) {
					continue
				}
				return false, nil
			}
			q := said.Request{Verb: said.Forget, Sentence: object, About: asking.ReplaceAllString(object, " ")}
			changes, err := r.carryOut(ctx, &Message{Memory: b, owner: owner}, Request{Verb: said.Forget, Asked: &q, answer: answer})
			return changes.Undone || len(changes.Hidden) > 0, err
		}
	}
	return false, nil
}

// What is meant holds at least leastNamedIn of the words of the assistant's question, and
// nearly as many as any memory; of more than a few nothing is clearly named. Of 234 such
// questions of one author, 226 name just what is meant by that, and four of 2,400 memories are
// taken by mistake.
const (
	leastNamedIn = 0.15
	mostNamedIn  = 0.75
)

// affirmed hides what the assistant named, with its question and the request. It hides nothing if
// the user asked to keep what is named, or it was said only after the request.
func (w *reading) affirmed(ctx context.Context, q *Request) error {
	q.found = slices.DeleteFunc(q.found, func(m schema.Memory) bool { return m.Kind == schema.KindEpisode && m.ID > w.ID })
	x, err := w.mayMean(ctx, q.Asked, q.found, nil)
	if err != nil {
		return err
	}
	named := x.named(leastNamedIn, mostNamedIn)
	if len(named) == 0 || len(named) > vagueHidden || !slices.ContainsFunc(x.terms, func(term string) bool { return !text.IsStopWord(term) }) {
		return nil
	}
	t, held := targets{certain: true, pointed: true}, 0
	x.add(&t, named)
	for _, s := range named {
		for _, i := range s.places {
			held = max(held, len(x.held[i]))
		}
	}
	all, err := w.in.Known().Claims(ctx, w.UserID, claimsRead)
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(m schema.Memory) bool { return !m.Protected })
	if slices.ContainsFunc(indexOf(x.weights, all, nil).held, func(kept map[string]float64) bool { return len(kept) >= held }) {
		return nil
	}
	t.episodes = append(t.episodes, *w.Memory, *q.answer)
	return w.hide(ctx, &t)
}
