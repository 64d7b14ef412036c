package claims

import (
	"context"
	"slices"
	"strings"

	"github.com/ebbmem/ebb/internal/prefilter"
	"github.com/ebbmem/ebb/internal/said"
	"github.com/ebbmem/ebb/internal/text"
	"github.com/ebbmem/ebb/schema"
)

// Words for forgetting, for removing, which are also said of texts, and how an assistant asks
// what is meant.
var (
	asksToForget = prefilter.New(`(?i)\b(?:forget|vergess|vergiss)|(?:^|[^\pL])olvid|忘|不再提|當冇`)
	asksToRemove = prefilter.New(`(?i)\b(?:delete|remove|erase|drop|wipe|clear|scrub|get rid|take (?:out|off|away)|lösch|streich|entfern|tilg|raus|weg)`,
		`(?i)(?:^|[^\pL])(?:borr|elimin|quit(?:a|á|o|e[ns]?|ar)(?:[^\pL]|l[oae]|$)|suprim|saco)`, `删|刪|抹|清|去掉|划掉`)
	asksMeant = prefilter.New(`(?i)\b(?:you mean|meinst|meinen sie|gemeint|geht es um|es geht um)|(?:^|[^\pL])(?:refieres?|hablas?|trata)(?:[^\pL]|$)`,
		`[你您](?:是|係咪)?[说指想让]|对吗|对吧|对不对|是吗|是吧|確認|确认`)
	ofTexts = prefilter.New(`(?i)\b(?:paragraph|sentence|line|word|letter|e-?mail|draft|text|essay|file|folder|list|table|column|row|absatz|absätze|satz|sätze|zeile|brief|mail|entwurf|datei|ordner|liste|tabelle|spalte)s?\b|(?:^|[^\pL])(?:párrafo|frase|línea|palabra|carta|correo|borrador|texto|archivo|carpeta|lista|tabla|columna|fila)s?(?:[^\pL]|$)`,
		`段落|邮件|文件|文章|作文|清单|列表|表格`)
)

// asksBack reports whether an assistant's answer asks whether to forget what a message asks to
// forget: "Shall I forget that you went to see a lawyer?", "Do you mean the lawyer?". Who edits
// a text, a list or a file asks to remove things too.
func asksBack(answer, message string) bool {
	if !strings.ContainsAny(answer, "?？") {
		return false
	}
	requests := ToForget(message)
	asks := slices.ContainsFunc(said.Requests(message), func(q said.Request) bool { return q.Verb == said.Forget })
	return len(requests) > 0 && asksToForget.MatchString(answer) || asks && !ofTexts.MatchString(answer+" "+message) && (asksToRemove.MatchString(answer) || asksMeant.MatchString(answer))
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
// assistant has asked back, naming something, and m agrees: the assistant's words are the
// object then. It reports whether m is such a message, and does nothing for others.
//
// Errors: those of [Reader.Read].
func (r *Reader) Agreed(ctx context.Context, owner schema.Scope, m *schema.Memory) (agreed bool, err error) {
	if !text.Agrees(m.Content) {
		return false, nil
	}
	var before []schema.Memory
	err = r.DB.Read(ctx, func(ctx context.Context, s *schema.Snapshot) (err error) {
		before, err = s.Before(ctx, m, agreedTo)
		return err
	})
	if err != nil || len(before) == 0 || before[0].Role != "assistant" {
		return false, err
	}
	answer := &before[0]
	for i := range before {
		if request := &before[i]; Own(request) && asksBack(answer.Content, request.Content) {
			q := said.Request{Verb: said.Forget, Sentence: answer.Content, About: answer.Content}
			_, err := r.carryOut(ctx, &Message{Memory: request, owner: owner}, Request{Verb: said.Forget, Asked: &q, answer: answer})
			return true, err
		}
	}
	return false, nil
}

// What is meant holds at least leastNamedIn of the words of the assistant's question, and
// nearly as many as any memory. Of 234 such questions of one author, 226 name just what is
// meant by that, and four of 2,400 memories are taken by mistake.
const (
	leastNamedIn = 0.2
	mostNamedIn  = 0.75
)

// affirmed hides what the assistant named, with its question and the request.
func (w *reading) affirmed(ctx context.Context, q *Request) error {
	x, err := w.mayMean(ctx, q.Asked, w.when(), q.found, nil)
	if err != nil {
		return err
	}
	said, most := x.statements(), leastNamedIn
	for _, s := range said {
		most = max(most, s.share)
	}
	t := targets{certain: true, pointed: true}
	for _, s := range said {
		if s.share < mostNamedIn*most {
			continue
		}
		for _, i := range s.places {
			if m := x.memories[i]; m.Kind == schema.KindEpisode {
				t.episodes = append(t.episodes, m)
			} else {
				t.claims = append(t.claims, m)
			}
		}
	}
	if len(t.episodes)+len(t.claims) == 0 {
		return nil
	}
	t.episodes = append(t.episodes, *w.Memory, *q.answer)
	return w.hide(ctx, &t)
}
