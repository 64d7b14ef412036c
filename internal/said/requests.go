package said

import (
	"regexp"
	"slices"
	"strings"

	"github.com/ebbmem/ebb/internal/intent"
	"github.com/ebbmem/ebb/internal/prefilter"
	"github.com/ebbmem/ebb/internal/text"
)

// Requests returns the requests in a user's own message. It ignores quoted and
// pasted text and code.
func Requests(message string) []Request {
	if req, ok := back(message); ok {
		return []Request{req}
	}
	var out []Request
	for _, s := range parse(message) {
		s.tokens = languages()[0].spellOut(s.tokens)
		req, ok := requestIn(message, s)
		if !ok || req.Verb == Keep && req.About != "" {
			if kept, colon := keptAfterColon(message, s); colon {
				req, ok = kept, true
			}
		}
		if !ok {
			req, ok = objectFirst(message, s)
		}
		if ok && req.Verb == Forget && deletes.MatchString(req.Sentence) {
			p := mayAsk(Own(message))
			ok = p >= leastOfForm && (p >= surelyForget || !isSoftware(req.Sentence))
		}
		if ok && !easy.MatchString(req.Sentence) && !isReported(req.Sentence) && (req.Verb != Keep || !s.keepsNothing(message)) {
			out = append(out, req)
		}
	}
	switch {
	case len(out) > 0:
		nameBeside(message, out)
	case asksToInsist(message):
		whole := strings.TrimSpace(message)
		out = append(out, Request{Verb: Keep, Sentence: whole, About: whole})
	default:
		if req, ok := LooseForget(message, leastForget); ok && !(req.Unsure && deletes.MatchString(message) && isSoftware(message)) {
			out = append(out, req)
		}
	}
	return out
}

// requestRow is one wording of a request. Only courtesies may precede it in the
// sentence.
type requestRow struct {
	words []string
	verb  Verb
	rest  restKind
}

// restKind says what may follow the words of a row.
type restKind byte

const (
	restNone  restKind = iota // nothing, or a colon and the text to keep
	restClaim                 // a clause: "never forget that I am allergic"
	restThing                 // a thing: "forget what I said about Bob"
	restTopic                 // the same, in words that may also set a topic aside: "forget the cat"
	restSaid                  // what somebody else said: "forget what Dana said about the rota"
	restOrder                 // anything else; whether that is a request is unsure: "forget Northgate"
	restAsked                 // a clause, of a question: "can you remember I am allergic"
	restAny
)

// requestTable lists the requests of all languages: verb, what may follow, words.
const requestTable = `
keep any: never_lose_that never_lose_this never_ever_lose_that never_delete_that do_not_ever_lose_that do_not_lose_that keep_that_forever never_forget_that never_ever_forget_that never_forget_this never_ever_forget_this never_forget: never_forget_it
keep claim: never_forget never_ever_forget
keep any: remember_this_for_good remember_that_for_good remember_for_good remember_this_forever remember_that_forever remember_forever remember_this_always always_remember_this always_remember_that always_remember keep_this_forever keep_this_in_mind_forever keep_this_for_good keep_that_for_good save_this_permanently remember_permanently remember_this_permanently do_not_ever_forget do_not_ever_forget_this do_not_ever_forget_that
keep none: remember_this remember_that remember_it keep_this_in_mind keep_that_in_mind note_this_down make_a_note_of_this make_a_note_of_that save_this save_that note_that_down write_that_down do_not_forget_this do_not_forget_that do_not_forget_it please_remember
keep claim: make_a_permanent_note_that do_not_forget_that do_not_forget remember_that make_sure_you_remember make_sure_to_remember
forget none: disregard_that disregard_this disregard_what_i_said disregard_what_i_just_said disregard_my_last_message remove_that_from_memory remove_this_from_memory delete_that_from_memory delete_this_from_memory erase_that_from_memory wipe_that_from_memory wipe_it_from_your_memory delete_it_from_your_memory erase_it_from_your_memory remove_it_from_your_memory forget_them forget_those delete_this delete_them delete_that erase_this erase_them wipe_that wipe_this wipe_them scrub_that scrub_this scrub_them forget_that forget_this forget_it_all forget_what_i_said forget_what_i_just_said forget_what_i_told_you forget_what_i_just_told_you forget_everything_i_said forget_my_last_message delete_that_from_your_memory erase_that remove_that_from_your_memory forget_that_please forget_that_again forget_that_last_part forget_about_what_i_said forget_what_i_just_wrote
forget topic: disregard_the disregard_my disregard_our forget_all_about forget_about forget_that forget_my forget_our forget_the forget_who forget_where
forget said: forget_what forget_everything vergiss_was vergiss_,_was vergiss_bitte_was vergiss_bitte_,_was olvida_lo_que olvida_todo_lo_que
forget order: forget vergiss vergiss_bitte olvida_a
forget thing: disregard_what_i_said_about disregard_what_i_told_you_about disregard_everything_about scratch_what_i_said_about scratch_what_i_told_you_about scrub_what_i_told_you_about scrub_what_i_said_about wipe_what_i_told_you_about wipe_what_i_said_about delete_what_i_told_you_about delete_what_i_said_about erase_what_i_told_you_about erase_what_i_said_about forget_everything_about forget_everything_i_said_about forget_everything_i_told_you_about forget_what_i_said_about forget_what_i_told_you_about forget_that_i_said forget_that_i_told_you delete_from_your_memory remove_from_your_memory erase_from_your_memory delete_what_you_know_about delete_everything_about delete_everything_you_know_about erase_everything_about erase_what_you_know_about delete_my erase_my remove_my do_not_remember do_not_keep stop_remembering forget_anything_about wipe_my
keep any: vergiss_das_nie vergiss_das_niemals vergiss_das_nie_wieder vergiss_nie_, vergiss_niemals_, vergiss_nie_dass vergiss_niemals_dass vergiss_bitte_nie vergiss_bitte_niemals merk_dir_das_für_immer merke_dir_das_für_immer merk_dir_für_immer merke_dir_für_immer merk_dir_das_gut merk_dir_das_dauerhaft merk_dir_dauerhaft vergessen_sie_das_nie vergessen_sie_nie vergessen_sie_niemals merken_sie_sich_das_für_immer das_darfst_du_nie_vergessen das_darfst_du_niemals_vergessen
keep none: dir_das_merken dir_das_bitte_merken merk_dir_das merke_dir_das merken_sie_sich_das vergiss_das_nicht behalte_das notier_dir_das
keep claim: vergiss_nicht_, vergiss_nicht_dass merk_dir_, merke_dir_, merk_dir_dass merke_dir_dass merk_dir_: merke_dir_:
forget none: streich_das streiche_das streich_es lösch_es lösche_es vergiss_das vergiss_das_bitte vergiss_das_wieder vergiss_das_bitte_wieder vergiss_das_gleich_wieder vergiss_das_bitte_gleich_wieder vergiss_das_schnell_wieder vergiss_was_ich_gesagt_habe vergiss_,_was_ich_gesagt_habe vergiss_was_ich_gerade_gesagt_habe vergessen_sie_das lösch_das lösche_das das_kannst_du_vergessen_was_ich_gesagt_habe streich_das_aus_deinem_gedächtnis
forget topic: vergiss_meine vergiss_meinen vergiss_mein vergiss_bitte_meine vergiss_bitte_meinen vergiss_bitte_mein vergiss_die vergiss_den vergiss_bitte_die vergiss_bitte_den vergiss_,_dass vergiss_dass vergiss_bitte_,_dass vergiss_bitte_dass vergessen_sie_meine vergiss_die_sache_mit vergiss_das_mit
forget thing: vergiss_,_was_ich_über vergiss_was_ich_über vergiss_,_was_ich_dir_über vergiss_was_ich_dir_über vergiss_bitte_,_was_ich_über vergiss_bitte_was_ich_über vergiss_,_was_ich_zu vergiss_was_ich_zu vergiss_alles_über vergiss_alles_,_was_ich_über vergiss_alles_was_ich_über vergiss_bitte_alles_über lösch_meine lösche_meine lösche_meinen lösch_meinen lösche_alles_über lösch_alles_über vergessen_sie_alles_über vergessen_sie_,_was_ich_über vergiss_das_über
keep any: no_olvides_nunca nunca_olvides no_lo_olvides_nunca nunca_lo_olvides no_olvides_jamás jamás_olvides recuérdalo_siempre recuerda_siempre recuerda_para_siempre recuérdalo_para_siempre no_se_te_olvide_nunca que_no_se_te_olvide_nunca guárdalo_para_siempre no_olvide_nunca
keep none: puedes_recordar_esto puedes_recordarlo puedes_apuntarlo puedes_apuntar_esto puedes_guardarlo puedes_guardar_esto recuérdalo recuerda_esto no_lo_olvides guarda_esto apúntalo apunta_esto que_no_se_te_olvide no_olvides_esto tenlo_en_cuenta_siempre
keep claim: no_olvides_que recuerda_que
forget none: olvida_eso olvida_esto olvídalo_por_completo olvida_lo_que_dije olvida_lo_que_te_dije olvida_lo_que_acabo_de_decir borra_eso bórralo olvida_lo_último
forget topic: olvida_lo_de olvida_lo_del olvida_mi olvida_mis olvida_la olvida_el olvida_que olvídate_de_mi olvídate_de_lo_de olvídese_de_lo_de olvide_lo_de olvide_mi
forget thing: olvida_lo_que_dije_de olvida_lo_que_dije_sobre olvida_lo_que_te_dije_de olvida_lo_que_te_dije_sobre olvida_lo_que_te_conté_de olvida_lo_que_te_conté_sobre olvida_todo_lo_de olvida_todo_lo_que_te_dije_sobre olvida_todo_lo_que_te_dije_de olvida_todo_lo_que_dije_sobre olvida_todo_sobre borra_mi borra_lo_de borra_todo_lo_de borra_lo_que_sabes_de borra_lo_que_sabes_sobre olvídate_de_lo_que_dije_sobre olvídate_de_lo_que_te_dije_sobre
keep any: 永远别忘了 永远不要忘记 永远别忘记 永远不要忘了 永远不要忘 永远记住 一直记住 一定要记住 千万别忘了 千万别忘记 千万不要忘记 千万记住 一辈子记住 永遠別忘了 永遠不要忘記 永遠記住 一定要記住 千萬別忘了 牢牢记住 永久记住
keep none: 记住这个 记住这一点 记住这件事 别忘了这个 别忘了这件事 记下来 请记住 记住了 記住這個 記住這一點 這個一定要記住 这个一定要记住 这个要记住 把这个记下来 帮我记住 请记下来
keep claim: 记住 請記住 記住
forget none: 忘掉这个 忘掉刚才说的 忘了刚才说的 忘掉我刚才说的 忘了我刚才说的 忘记刚才说的 忘记我刚才说的 忘掉这件事 忘记这件事 忘了这件事 把这个忘掉 把这个忘了 把刚才说的忘了 把刚才说的忘掉 把我刚才说的忘了 忘掉我說的 忘掉這件事 把這件事忘掉 把这件事忘了 把这件事忘掉 删掉这条 忘掉它 忘掉刚才那句话 忘了刚才那句话 忘掉剛才說的
forget topic: 忘掉关于 忘记关于 忘了关于 忘掉我的 忘记我的 忘了我的 忘掉我 忘掉 忘記我的 忘掉有關 忘記關於 忘掉關於
forget thing: 忘掉我说的关于 忘掉我说过的关于 忘了我说的关于 忘记我说的关于 删除我的 删掉我的 删除关于 刪除我的 忘记我说过 忘掉我说过 忘了我说过
`

// dismissals are idioms that are no requests.
var dismissals = phrasesOf("forget_it forget_about_it vergiss_es vergiss_es_einfach vergessen_sie_es olvídalo olvídate no_importa never_mind nevermind egal_vergiss forget_that_noise forget_you forget_me 算了 lass_uns_das_vergessen lass_uns olvidemos let_us_forget 忘了吧")

// courtesies may precede a request.
var courtesies = phrasesOf("please can_you could_you would_you will_you you_can you_should i_want_you_to i_would_like_you_to i_need_you_to ok okay so and well actually hey hi oh no just now also but sorry wait scrap_that kindly bitte kannst_du könntest_du du_kannst also ach ok und aber jetzt du_sollst könnten_sie por_favor puedes podrías ahora y pero oye vale así_que mejor perdona 请 請 你 能不能 能 可以 麻烦 麻煩 麻烦你 好吧 那 请你 請你 帮我 幫我 把 so_please and_please then ,")

// requestRows maps a first word to its rows, longest first.
var requestRows = func() map[string][]requestRow {
	kinds := map[string]restKind{"none:": restNone, "claim:": restClaim, "thing:": restThing, "topic:": restTopic, "said:": restSaid, "order:": restOrder, "asked:": restAsked, "any:": restAny}
	verbs := map[string]Verb{"keep": Keep, "forget": Forget}
	table := make(map[string][]requestRow)
	for line := range strings.Lines(requestTable + "keep asked: " + strings.Join(toKeep[:], " ")) {
		fields := strings.Fields(line)
		if len(fields) < 3 {
			continue
		}
		for _, f := range fields[2:] {
			words := sequence(f)
			table[words[0]] = append(table[words[0]], requestRow{words, verbs[fields[0]], kinds[fields[1]]})
		}
	}
	return table
}()

// requestIn returns the request in a sentence.
func requestIn(message string, s sentence) (Request, bool) {
	t := s.tokens
	i, alone, named, other := 0, true, false, false // alone: nothing but courtesies and a name precede it
	for i < len(t) {
		if n, _ := dismissals.at(t, i); n > 0 && (i+n >= len(t) || t[i+n].mark) {
			return Request{}, false
		}
		best, found := requestRow{}, false
		for _, row := range requestRows[t[i].word] {
			if len(row.words) > len(best.words) && row.at(t, i) && row.follows(t, i+len(row.words)) {
				best, found = row, true
			}
		}
		if found {
			aside := best.setsAside(message, s, i, alone)
			if aside && !best.recalls(message, s, i, alone) {
				return Request{}, false
			}
			req := Request{Verb: best.verb, Sentence: strings.TrimSpace(message[s.lo:s.hi])}
			if best.rest != restNone {
				req.About = aboutOf(message, t, i, best)
			}
			req.Exact = best.rest == restSaid || best.rest == restOrder
			object := t[i+len(best.words):]
			owned := isOwned(object) && !isSoftware(req.Sentence)
			if best.rest == restOrder && !owned && (givesReason(req.Sentence) || whoNotToKnow(req.Sentence) > 0 || intent.Forget.P(req.Sentence) >= surelyForget) {
				if loose, ok := LooseForget(req.Sentence, leastForget); ok {
					return loose, true
				}
			}
			switch {
			case best.verb == Keep || best.rest == restThing || best.rest == restNone:
			case best.rest == restOrder && !owned,
				other && !isMine[best.words[len(best.words)-1]] && !statesSelf(object) && intent.Forget.P(req.Sentence) < surelyForget: // "Tom, forget the keys"
				req.Unsure = true
			}
			if aside {
				req.Unsure, req.Single = true, true
			}
			return req, true
		}
		n, _ := courtesies.at(t, i)
		if n == 0 && !named {
			n, named = namedBefore(message, t, i), true
			alone = !exclaims[t[i].word] && !strings.HasSuffix(t[i].word, "ly")
			other = t[i].upper && !assistants.MatchString(message[t[i].lo:t[max(i, i+n-2)].hi])
		}
		if n == 0 {
			return requestAtEnd(message, s)
		}
		i += n
	}
	return Request{}, false
}

func (row requestRow) at(t []token, i int) bool {
	if i+len(row.words) > len(t) {
		return false
	}
	for k, w := range row.words {
		if t[i+k].word != w || t[i+k].quoted {
			return false
		}
	}
	return true
}

// tails may follow a request without an object.
var tails = phrasesOf("for_me for_us for_later for_next_time for_future_reference für_mich für_später fürs_nächste_mal para_mí para_luego para_la_próxima 吗 please again for_good forever ok okay thanks thank_you about_me from_your_memory from_memory now completely entirely bitte wieder danke für_immer ganz por_favor gracias para_siempre ahora 吧 了 谢谢 拜托 好吗 请 yeah ja vale sí at_all what_i_said what_i_just_said i_said i_just_said i_told_you i_just_told_you last_part message one dich_das instead everything was_ich_gesagt_habe you lo_que_dije gesagt_habe erzählt_habe geschrieben_habe 的事 的话 的事情 的一切 的说法")

// tasks begin a reminder to do something ("don't forget to …"), which is no
// request to keep anything.
var tasks = wordSet("to and the a an about how your me zu 买 带 做 去 it")

// follows reports whether the tokens from i on fit the row.
func (row requestRow) follows(t []token, i int) bool {
	switch row.rest {
	case restNone:
		for i < len(t) {
			if t[i].mark {
				return t[i].word != hiddenWord
			}
			n, _ := tails.at(t, i)
			if n == 0 {
				return false
			}
			i += n
		}
		return true
	case restClaim, restAsked:
		if i >= len(t) || tasks[t[i].word] || strings.HasSuffix(t[i].word, "ing") || endsHere(t, i) {
			return false
		}
		// Not "can you remember where I live", "remember that song for me".
		rest, _, _ := strings.Cut(phraseOf(t[i:]), " ,")
		return !((row.rest == restAsked || han(t[i])) && wonders.MatchString(rest)) && (!strings.Contains("remember can could", row.words[0]) || predicate.MatchString(rest)) && statesSelf(t[i:])
	case restThing, restTopic:
		whole := i+2 < len(t) && t[i].word == "whole" && !t[i+2].mark // "the whole thing with the sale"
		return i < len(t) && !t[i].mark && (whole || !loosely[t[i].word])
	case restSaid:
		return i < len(t) && !t[i].mark && !notOne[t[i].word] && slices.ContainsFunc(t[i:min(len(t), i+mostSaid)], func(t token) bool { return tells[t.word] })
	case restOrder:
		return i < len(t) && !t[i].mark && !t[i].quoted && !tasks[t[i].word] && !openEnded[t[i].word]
	}
	return i >= len(t) || !tasks[t[i].word] || t[i].word == "about" || t[i].word == "the" || t[i].word == "a"
}

// wonders matches what asks about something known.
var wonders = regexp.MustCompile(`(?i)^(?:where|when|what|who|which|why|how|if|whether)\b|^(?:my|our) \S+(?: \S+)?$|[哪谁]|什么|多少|怎`)

// loosely are words after "forget that" that name no object: "forget that noise".
var loosely = wordSet("noise whole we you idea happened ever")

// selfWords are first-person words in the supported languages.
var selfWords = wordSet("i my we our me us mine ich mein meine meinem meinen meiner wir unser unsere mir mich yo mi mis nuestro nuestra me soy tengo vivo estoy somos nos 我 我们 我們")

func statesSelf(t []token) bool {
	return slices.ContainsFunc(t[:min(len(t), 9)], func(t token) bool { return selfWords[t.word] })
}

// aboutOf returns the object of a request.
func aboutOf(message string, t []token, i int, row requestRow) string {
	from := i + len(row.words)
	if (row.rest == restThing || row.rest == restTopic) && from > i && row.verb == Forget {
		switch t[from-1].word { // the owner belongs to the thing
		case "my", "our", "the", "meine", "meinen", "mein", "die", "den", "mi", "mis", "la", "el":
			from--
		case "的":
			if from-2 >= i && t[from-2].word == "我" {
				from -= 2
			}
		}
	}
	to := len(t)
	for from < to && t[from].mark {
		from++
	}
	if row.verb == Forget && from < to {
		if at := whoNotToKnow(message[t[from].lo:t[to-1].hi]); at > 0 {
			for to > from+1 && t[to-1].lo >= t[from].lo+at {
				to--
			}
		}
	}
	for k := from; k < to; k++ {
		if t[k].mark && !joinsWords(t[k].word) && (t[k].word != "," || k > from && (saysWhy(t[k+1:to]) || k-from <= maxObject && givesReason(message[t[k].hi:t[to-1].hi]))) {
			to = k
		}
	}
	for to > from {
		cut := 0
		for k := max(from, to-4); k < to && cut == 0; k++ {
			if n, _ := tails.at(t[:to], k); k+n == to {
				cut = n
			}
		}
		if cut == 0 && !t[to-1].mark {
			break
		}
		to -= max(cut, 1)
	}
	if to <= from {
		return ""
	}
	return strings.TrimSpace(message[t[from].lo:t[to-1].hi])
}

// isMine are the words after which a request is about the user: "forget my locker code".
var isMine = wordSet("my our mein meine meinen mi mis 我的 我")

// theseWords refer to what was said: "don't keep any of this".
var theseWords = wordSet("this that it these those them any what")

// setsAside reports whether the words of a row at token i only set a topic aside, to go on
// with another: "forget the cat, it's the kids I worry about", "forget that, let's do it
// differently". They do if the sentence says more than the request and a reason for it, or is
// about software, "forget the last commit", unless the message surely asks to forget. alone is
// whether nothing but courtesies precedes it.
func (row requestRow) setsAside(message string, s sentence, i int, alone bool) bool {
	t := s.tokens
	if next := i + len(row.words); row.words[0] == "do" && row.verb == Forget && next < len(t) && !theseWords[t[next].word] { // "I" may be left out: "don't remember my blood type"
		return idiom.MatchString(message) || !slices.ContainsFunc(t, func(t token) bool { return t.word == "please" }) && intent.Forget.P(message) < surelyForget
	}
	if row.verb != Forget || row.rest == restThing {
		return false
	}
	if row.rest == restOrder && (!alone || s.question && i == 0 || isSoftware(message[t[i].lo:s.hi]) && !isOwned(t[i+len(row.words):])) {
		return true
	}
	end := s.objectEnd(i + len(row.words))
	last := endsHere(t, end)
	switch {
	case row.rest == restTopic && !isMine[row.words[len(row.words)-1]] && isSoftware(message[t[i].lo:s.hi]):
	case alone && last:
		return false
	case s.hi-s.lo > mostLoose:
		return true
	case (alone || givesReason(message[s.lo:t[i].lo])) && (last || givesReason(message[t[end].hi:s.hi])):
		return false
	}
	p := intent.Forget.P(message[s.lo:s.hi])
	if len(message) <= mostLoose {
		p = max(p, intent.Forget.P(message))
	}
	return p < surelyForget
}

// objectEnd returns the token before which the object from token i on ends.
func (s *sentence) objectEnd(i int) int {
	for i < len(s.tokens) && (!s.tokens[i].mark || joinsWords(s.tokens[i].word)) {
		i++
	}
	return i
}

// recalls reports whether the words of a row at token i and their object speak of something that was
// said, and the sentence says nothing else but a reason: "forget the thing about the fish shell".
func (row requestRow) recalls(message string, s sentence, i int, alone bool) bool {
	t, from := s.tokens, i+len(row.words)
	if row.verb != Forget || row.rest != restTopic || !alone || s.hi-s.lo > mostLoose {
		return false
	}
	end := s.objectEnd(from)
	return end > from && recalling.MatchString(message[t[from-1].lo:t[end-1].hi]) && (endsHere(t, end) || givesReason(message[t[end].hi:s.hi]))
}

// recalling matches an object that speaks of something that was said, and the end of the request's words.
var recalling = prefilter.New(`(?i)^(?:the|that) (?:(?:whole|little|silly) )?(?:thing|bit|part|stuff|story|business|matter) (?:about|with|of|regarding)\b|^(?:the|that) .* (?:thing|bit|story|business|matter)$`,
	`(?i)^(?:mit|sache mit) `, `(?i)^(?:del?|lo del?) `)

// keepForms match the text before the colon in "and this one, never ever lose it:
// …": words for always and for remembering, and one that refers to the text after
// the colon. Without that word it is the heading of a list: "to remember always:
// keys, wallet".
var keepForms = []*regexp.Regexp{
	regexp.MustCompile(`(?i)\b(?:never|ever|always|for ?ever|for good|permanently)\b.*\b(?:forget|lose|drop|remember|keep|delete)\b|\b(?:remember|keep|save|note)\b.*\b(?:always|for ?ever|for good|permanently)\b|\bfor ?ever\b.*\bit$`),
	regexp.MustCompile(`(?i)\b(?:carve|carved|set|etch|etched|write|written|file|put)\b.*\b(?:in(?:to)? (?:stone|ink|granite)|get lost)\b|\b(?:keep|hold on to|hang on to) (?:this|that|it)(?:,? (?:please|safe|somewhere|always|forever|with you|in (?:mind|memory|your \pL+)|on (?:file|record)|for \pL+|even (?:when|if|after)|as long as|no matter what|whatever happens|at all costs|under (?:all|any) circumstances)\b.*)?[\s,:—–-]*$|\bdon'?t (?:you )?ever (?:lose|drop|delete|forget|erase)\b|\b(?:for (?:all time|life|keeps|eternity)|(?:till|until) (?:i die|the day i die)|permanent (?:note|record)|only one thing about me)\b|\bto keep\b|\b(?:under (?:all|any) circumstances|at all costs|no matter what|whatever happens)\b`),
	regexp.MustCompile(`(?i)\b(?:nie|niemals|immer|dauerhaft)\b.*(?:vergess|vergiss|merk|behalt|lösch|verlier|speicher)|(?:vergess|vergiss|merk|behalt|lösch|verlier|speicher)\pL*\b.*\b(?:nie|niemals|immer|dauerhaft)\b|hinter die ohren|ein leben lang|ins stammbuch|in stein\b|nie verloren`),
	regexp.MustCompile(`(?i)(?:nunca|jamás|siempre)\b.*(?:olvid|recuerd|recuérd|guard|borr|pierd|grab)|(?:olvid|recuerd|recuérd|guárd|guard|borr|pierd|grab|grába)\pL*\b.*\b(?:nunca|jamás|siempre)\b|\ba fuego\b|\ben piedra\b|que no se pierda`),
	regexp.MustCompile(`(?:永远|永遠|千万|千萬|一直|一定|绝对|一辈子|一輩子).*(?:忘|记|記|丢|删)|(?:记|記|留|存).*(?:永远|永遠|永久|一辈子|一輩子)`),
}

// pointsAhead matches a word that refers to the text after the colon.
var pointsAhead = prefilter.New(`(?i)\b(?:this|that|it|one|das|dies|dieses|es|eins|folgendes|esto|eso|(?:no|nunca|jamás) (?:lo|la)|(?:guárda|recuérda|apúnta|grába)(?:te)?(?:lo|la))\b|[这這]|[有一]件事|以下`)

// ownHabit matches statements about the writer's own memory: "I never forget a
// face: …".
var ownHabit = prefilter.New(`(?i)\b(?:i|we)(?:'ll|'ve|'d|'m)? (?:\pL+ )?(?:never|always|ever|forget|remember|keep|lose|save|note)\b|\b(?:ich|yo|wir)\b|我(?:从|從|总|總|一直|永远|永遠)`)

// beforeSelf matches the comma before a statement about the writer: "write this in ink,
// I'm diabetic".
var beforeSelf = prefilter.New(`(?i),\s*(?:i'?m|i|my|our|ich|mein|meine|mi|soy|tengo)\b|[,，]我`)

// insists matches requests never to lose what the message says: a negated verb of losing,
// or a verb of keeping with a word for always, by language. A negated "forget" alone is a
// reminder of an errand.
var insists = prefilter.New(
	`(?i)\b(?:never|(?:do|must|can|dinna)n?['’]?t|do not|dinnae|not)\b(?: (?:\pL+['’]?\pL*)){0,4}? (?:los[et]|losin[g']?|drop(?:ped)?|delet(?:e|ed|ing)|eras(?:e|ed|ing)|wip(?:e|ed|ing)|mislay|mislaid|vanish|fade|part with|let (?:go|(?:this|that|it) go)|throw(?:n)? (?:\pL+ )?(?:out|away)|(?:dropp?|los|forgett)ing)\b`+
		`|\b(?:never ever|don['’]?t (?:yo)?u (?:ever|dare)(?: to)?|never) forget\b|\b(?:keep|hang on|hold|save|remember|guard|lock|preserve|etch|burn|file|store|hard.?wire|tattoo|engrave)\b[^.?!]{0,40}\b(?:for ?ever|forever and a day|for good(?:$|\s*[^\pL\s]|\s+(?:please|and|because|since|as|so|it|i|my|thanks|ok|this|that|now|somewhere|you)\b)|for (?:life|always|keeps|eternity)|permanently|permanent|as long as i live|(?:un)?till? i die|with your life|at all costs|no matter what|whatever happens|under (?:all|any) circumstances)\b`+
		`|\b(?:for ?ever|for good|for life|for eternity|whatever happens),? (?:please )?(?:keep|remember|save|hold)\b|\balways (?:always )?(?:remember|keep)\b`,
	`(?i)\b(?:nie(?:mals)?|nimmer|nich|nicht|net|ned|nit|nid|nöd)\b(?: \pL+){0,3}? (?:gelöscht|löschen|lösch|verlier\pL*|verloren|verlorengehen|verschlampen|verschwinden|wegschmeißen|weggeschmissen|wegwerfen|rausschmeißen|verlieren|untergehen)\b|\b(?:nie(?:mals)?|nimmer)\b(?: \pL+){0,3}? (?:vergess\pL*|vergiss\pL*)|\b(?:vergiss|lösch|verlier)\pL*\b(?: \pL+){0,2}? (?:nie(?:mals)?|nimmer|ja nicht|bloß nicht)\b`+
		`|\b(?:merk|behalt|behält|speicher|heb|bewahr|brenn|schreib|halt)\pL*\b[^.?!]{0,40}\b(?:immer|ewig|dauerhaft|lebenslang|ein leben lang|unter allen umständen|hinter die ohren)\b|\b(?:immer|ewig|dauerhaft)\b(?: \pL+){0,3}? (?:merk|behalt|speicher|aufheb|aufbewahr)\pL*|\bwehe,? du (?:vergisst|löschst|verlierst)\b`,
	`(?i)(?:^|[^\pL])(?:nunca|jam[aá]s|ni se te ocurra|ni loc[oa])(?: \pL+){0,4}? (?:\pL*olvid|borr|pierd|perd|elimin|tir)\pL*|(?:^|[^\pL])(?:\pL*olvid|borr|pierd|perd|elimin)\pL*(?: \pL+){0,2}? (?:nunca|jam[aá]s)|(?:^|[^\pL])(?:no|que no) (?:(?:te|se|me) )?(?:l[oae]s? )?(?:borr|pierd|elimin|tir)\pL*|que no se (?:te )?(?:borre|pierda)`+
		`|(?:^|[^\pL])(?:gu[aá]rd|record|recu[eé]rd|acord|acu[eé]rd|ap[uú]nt|anot|gr[aá]b|conserv|ten|qued)\pL*[^.?!]{0,40}(?:siempre|toda la vida|de por vida|eternamente|a fuego|bien guardad[oa])`,
	`(?:不许|不准|不能|不可以|不得|绝不|绝对不|休想|千万别|千万莫|千万不要|永远别|永远不要|莫|莫要|别给我|不要|你敢)[^，。！？,.!?]{0,4}(?:丢|删|弄丢|搞丢|掉了|弄没|抹)|(?:不许|不准|不能|不可以|不得|绝不|绝对不|千万别|千万莫|千万不要|永远别|永远不要|永远不|一辈子别|你敢)[^，。！？,.!?]{0,4}忘|(?:记|存|留|刻|收)[^。！？]{0,6}(?:一辈子|永远|永久|死死|牢牢)|记死|记牢|(?:一辈子|永远|永久)[^。！？]{0,6}(?:记|存|留|刻|别忘|不忘)`,
)

// isReported reports whether a sentence is what somebody else says or the writer says to
// others: "never forget where you came from, my nan used to say". What mentions the writer is
// no quotation: "never forget that I'm diabetic, my doctor said".
func isReported(sentence string) bool {
	for _, form := range reporting {
		if at := form.FindStringIndex(sentence); at != nil && !strings.HasPrefix(strings.ToLower(sentence[at[0]:]), "forget what i ") {
			return !writer.MatchString(sentence[:at[0]] + " , " + sentence[at[1]:])
		}
	}
	return false
}

// reporting match the words about who says it, by language.
var reporting = []*regexp.Regexp{
	regexp.MustCompile(`(?:^|,\s*)(?i:as |like )?(?:(?i:my|our|his|her|the|an?|some|mum|mom|dad|nan|gran|grandma|grandpa|he|she|they|people)|\p{Lu}\pL+)(?: [\pL'’]+){0,3}? (?i:says?|said|would say|used to say|used to tell (?:me|us|him|her|them)|tells? (?:me|us)|told (?:me|us))(?i: always| once| a lot| every (?:day|time))?(?:\s*[,:]|\W*$)|,\s*(?i:says?|said) (?:(?i:my|our|his|her|the|an?|mum|mom|dad|nan|gran|grandma|grandpa)|\p{Lu}\pL+)\b[^,.]*` +
		`|(?i:,\s*(?:as )?(?:i|we)(?: always| often| keep| used to)? (?:tell(?:ing)?|told|say to|remind|teach) (?:the|my|our|him|her|them|people|everyone)\b[^,.]*)`),
	regexp.MustCompile(`(?i)(?:^|,\s*)(?:so |wie )?(?:(?:sagte?|sagen|meinte?|predigte?) (?:immer )?(?:mein|unser|die|der|er|sie|oma|opa|mama|papa|mutti|vati)\pL*|hat(?:te)? (?:mein|unser|er|sie|oma|opa|mama|papa)\pL*[^,.]* gesagt|pflegte [^,.]*zu sagen|(?:sag|sage|hab|habe) ich (?:ihm|ihr|ihnen|den|dem|der|meine[nmr]?)\b|(?:mein|unser)\pL* \pL+ (?:sagte?|hat)(?: immer| oft)?(?: gesagt)?\s*[,:])`),
	regexp.MustCompile(`(?i)(?:^|,\s*)(?:como )?(?:(?:siempre )?(?:dice|dicen|decía|decían|dijo|solía decir) \pL+|(?:siempre )?les? (?:digo|dije|decía)(?:[^\pL]|$)|mi \pL+ (?:siempre )?(?:dice|decía|dijo)(?: siempre)?\s*[,:])`),
	regexp.MustCompile(`[，,](?:这是)?我?(?:奶奶|姥姥|外婆|爷爷|外公|姥爷|妈妈?|爸爸?|老师|老人|老话|他|她|师傅|领导)(?:们)?(?:总|常|老|经常|以前|从小|总是|就是|一直)*(?:这么|这样|跟我|对我)?(?:说|讲|教)|^我?(?:奶奶|姥姥|外婆|爷爷|外公|姥爷|妈妈?|爸爸?|老师|老话)(?:总|常|老|经常|以前|总是)*(?:跟我|对我)?(?:说|讲)|[，,]我(?:总|常|老|经常)*(?:跟|对|教)(?:孩子|学生|他|她)们?(?:说|讲)?`),
}

// writer matches words of the first person.
var writer = regexp.MustCompile(`(?i)(?:^|[^\pL])(?:i|my|me|our|us|we|ich|mein\pL*|mir|mich|wir|uns\pL*|yo|mis?|soy|tengo|vivo|estoy|nos)(?:[^\pL]|$)|我`)

// maxim matches advice, by language: "never forget where you came from", "always remember
// your manners".
var maxim = prefilter.New(`(?i)\b(?:never|always|don['’]?t|do not)(?: ever| you| please| always)* (?:forget|remember),?(?: that| where| who| how| what| why)?(?: your\b| you(?:['’]ve| have| came| come| can| could| were| matter| deserve| belong| got|(?:['’]re| are)(?: so)? (?:loved|not alone|never alone|enough|strong|worth|valued|(?:my|the) best|amazing|beautiful|special|stronger|braver))\b)` +
	`|\b(?:vergiss|vergesst|vergessen sie)(?: \pL+)? (?:nie|niemals|nicht),? (?:wo(?:her)?|wer|dass|was|wie) (?:du|ihr|sie)\b|\b(?:denk|erinner\pL*) (?:\pL+ )?immer (?:an )?dein` +
	`|(?:^|[^\pL])(?:nunca (?:te )?olvides|no (?:te )?olvides(?: nunca)?|recuerda siempre|siempre recuerda)(?: de)?(?: que| quién| de dónde| dónde| cómo| lo que)? (?:eres|vienes|tienes|vales|puedes|tus?)(?:[^\pL]|$)` +
	`|(?:别|不要|永远不会|千万不要|千万别)忘(?:了|记)?(?:自己|你(?:从哪|是谁|自己|有|很|并不|不是一个人))`)

// asksToInsist reports whether a message insists that what it says is kept. The writer's
// own losses and reports of others are none.
func asksToInsist(message string) bool {
	if len(message) > mostLoose || quotation.MatchString(message) {
		return false
	}
	insisting := func(s string) bool { return insists.MatchString(notInsisting.ReplaceAllString(s, " ")) }
	if !insisting(message) {
		return false
	}
	rest := message
	for _, s := range parse(message) {
		if s.keepsNothing(message) {
			rest = strings.Replace(rest, message[s.lo:s.hi], " ", 1)
		}
	}
	return rest == message || insisting(rest)
}

// keepsNothing reports whether the sentence asks to keep nothing, whatever its words: it is
// advice, reports what somebody says, or only asks something.
func (s *sentence) keepsNothing(message string) bool {
	own := message[s.lo:s.hi]
	return maxim.MatchString(own) || isReported(own) || s.question && !asksToDo(own)
}

// notInsisting matches what is about the writer's or others' losses.
var notInsisting = prefilter.New(`(?i)\bkeep(?:s|ing)?(?: (?:me|us|you|them|him|her|it|everyone))?(?: on)? \pL+ing\b[^.?!]*|\bkeep(?:s|ing)?(?: (?:me|us|you|them|him|her|it|that|this|things|everything|your \pL+|the \pL+))? (?:up|an eye|your eyes|track|calm|quiet|in touch|away|out|off|fit|short|brief|simple|concise|light|polite|formal|casual|friendly|to the point)\b[^.?!]*|\b(?:i|we)(?:['’](?:m|re|ll))?(?: \pL+){0,2}? (?:gonna|going to|will|have to|try to|trying to|promise to|hope to|wanna)(?: \pL+){0,2}? (?:keep|remember|hold|hang|save)\b[^.?!]*|\bhalte?\pL* (?:dich|sie sich|es|deine \pL+|alles|durch)\b[^.?!]*|\bschreib\pL* (?:mir |bitte |doch )*(?:immer |dauerhaft )*(?:kurz|knapp|einfach|höflich|freundlich|auf \pL+)[^.?!]*|(?:^|[^\pL])(?:ten (?:siempre )?(?:cuidado|paciencia|fe|presente a)|tengo|tenemos|qu[eé]date)[^.?!]*|^(?:things|what|how|stuff)? ?to (?:\pL+ )?(?:remember|keep)\b[^.?!]*|\bnunca olvid(?:aré|are|aremos|o)(?:[^\pL]|$)|\b(?:i|we|he|she|they|you|it|who)(?:['’](?:ll|ve|d|m|re|s))? (?:(?:will|would|could|can|have|had|has|do|did|does|just|really|still|almost|nearly) )?(?:never|don['’]?t|didn['’]?t|won['’]?t|can['’]?t|couldn['’]?t|must ?n['’]?t|not|always)\b|\b(?:ich|wir|er|sie|man|mir|uns) (?:\pL+ ){0,2}?(?:nie|nicht|immer|niemals)\b|\b(?:yo|nosotros|nunca me|nunca se|siempre me|no me|no se me|me olvid[eé])\b|我(?:从来|从|总|总是|一直|永远|老)?(?:不|没|忘|丢)`)

// mostBefore is the maximum length of the text before the colon, in bytes.
const mostBefore = 160

// keptAfterColon returns a request to keep the text after a colon, a dash, or a comma
// before a statement about the writer.
func keptAfterColon(message string, s sentence) (Request, bool) {
	asked := strings.TrimSpace(message[s.lo:s.hi])
	at := strings.IndexAny(asked, ":：—")
	if first := beforeSelf.FindStringSubmatchIndex(asked); at < 0 && first != nil {
		at = first[0]
	}
	if at < 0 || at > mostBefore || s.question && !asksToDo(asked) || ownHabit.MatchString(asked[:at]) {
		return Request{}, false
	}
	about, before := strings.Trim(asked[at:], ":：—, .。!！?？"), notInsisting.ReplaceAllString(asked[:at], " ")
	for _, form := range keepForms {
		if about != "" && form.MatchString(before) && pointsAhead.MatchString(before) {
			return Request{Verb: Keep, Sentence: asked, About: about}, true
		}
	}
	return Request{}, false
}

// toldBefore matches words that precede a request's object.
var toldBefore = regexp.MustCompile(`(?i)^(?:(?:what|everything|the things?|was|alles, was|lo que|todo lo que) (?:i|ich|te)? ?(?:just )?(?:said|told you|wrote|typed|posted|mentioned|dije|conté)? ?(?:here )?(?:about |über |de |sobre )?)`)

// saidBefore returns the object that a sentence names before the request: "those
// digits for the alarm, wipe them please", or "".
func saidBefore(before string) string {
	if at := whoNotToKnow(before); at > 0 {
		before = before[:at]
	} else if notToKnow.MatchString(before) { // "Dr Lund mustn't know that I smoke"
		before = toKnow.ReplaceAllString(before, "")
	}
	before = strings.Trim(toldBefore.ReplaceAllString(strings.TrimSpace(before), ""), " ,;:–—-.")
	if text.IsSmallTalk(before) || len(text.QueryTerms(before, 0)) == 0 {
		return ""
	}
	return before
}

// objectForms match requests that name their object first.
var objectForms = []*prefilter.Regexp{
	prefilter.New(`(?i)\bwhat i (?:said|told you|wrote|mentioned) about (.{2,60}?)(?: the other \pL+| earlier| yesterday| before| just now)?,? (?:please |just )?(?:delete|erase|forget|scrub|remove|wipe) (?:that|it|this)\b`),
	prefilter.New(`(?i)\b(?:das|die sache|die geschichte|das ganze) mit (?:der |dem |den |meine[rmn] )?(.{2,60}?) (?:möcht\pL*|will|mag) ich (?:bitte )?(?:nicht gespeichert|nicht mehr gespeichert|gelöscht|vergessen)`),
	prefilter.New(`(?i)\blo (?:que (?:te )?(?:dije|conté) )?(?:de|sobre) (.{2,60}?),? (?:por favor,? )?(?:bórralo|olvídalo|elimínalo)\b`),
	prefilter.New(`(?:把|将)(?:我)?(.{2,20}?)(?:那件事|这件事|那事|这事|的事情?)?(?:给|都|全)?(?:忘掉|忘了|删掉|删了|删除|忘記|忘记)`),
	prefilter.New(`^(.{2,20}?)(?:那件事|这件事|这茬|那茬|这事|那事|的事情?)(?:你|就|请|都)*(?:忘了吧|忘掉吧|忘了|忘掉|当我没说过|当我没说|删掉|删了)`),
}

// affair matches an order to forget what concerns somebody, which edits no text and reports nothing forgotten.
var affair = regexp.MustCompile(`^(?:请|請|麻烦|帮我|你|就)*[把将].+的事情?(?:给|都|全)*忘`)

// objectFirst returns the request of a sentence without quotations that names its
// object first.
func objectFirst(message string, s sentence) (Request, bool) {
	if slices.ContainsFunc(s.tokens, func(t token) bool { return t.quoted }) {
		return Request{}, false
	}
	asked := strings.TrimSpace(message[s.lo:s.hi])
	for _, form := range objectForms {
		if m := form.FindStringSubmatchIndex(asked); m != nil && !text.EndsAsking(asked) {
			if !affair.MatchString(asked) && intent.Forget.P(asked) < leastForget {
				break // it edits a text or a list
			}
			about := asked[m[2]:m[3]]
			if at := whoNotToKnow(about); at > 0 {
				about = about[:at]
			}
			return Request{Verb: Forget, Sentence: asked, About: strings.TrimSpace(about)}, true
		}
	}
	return Request{}, false
}

// requestAtEnd returns a request that ends its sentence: "I'm allergic to nuts,
// never forget that", "das musst du dir für immer merken".
func requestAtEnd(message string, s sentence) (Request, bool) {
	t := s.tokens
	for i := 1; i < len(t); i++ {
		if !t[i-1].mark {
			joins := t[i-1].word == "and" || t[i-1].word == "und" || t[i-1].word == "y"
			if !courtesies.in(t, i-1) && !(joins && (i == 1 || t[i-2].mark)) { // ", and never forget that"
				continue
			}
		}
		for _, row := range requestRows[t[i].word] {
			end, req := i+len(row.words), Request{Verb: row.verb, Sentence: strings.TrimSpace(message[s.lo:s.hi])}
			switch {
			case !row.at(t, i), row.setsAside(message, s, i, false):
				continue
			case row.verb == Keep && (row.rest == restAny || row.rest == restNone) && endsHere(t, end):
				return req, true
			case row.verb == Keep || !row.follows(t, end):
				continue
			case row.rest == restNone:
				req.About = saidBefore(message[s.lo:t[i].lo])
			default:
				req.About = aboutOf(message, t, i, row)
			}
			return req, true
		}
	}
	return Request{}, false
}

func endsHere(t []token, i int) bool {
	for i < len(t) {
		n, _ := tails.at(t, i)
		if n == 0 && !t[i].mark {
			return false
		}
		i += max(n, 1)
	}
	return true
}
