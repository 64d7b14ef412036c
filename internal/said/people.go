package said

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/ebbmem/ebb/internal/text"
)

// Person is somebody close to the writer, or an animal, that an earlier message names.
type Person struct {
	Relation string // the predicate of the claim that names them, of [Relations]
	Name     string // its object, as written
	Words    string // its sentence
}

// Relations returns the predicates of claims that name people and animals, or say that
// there are several.
func Relations() []string { return relations }

// Friends returns the relations whose names no claim states alone.
func Friends() (friends []string) {
	for _, r := range relations {
		if _, ok := nounIn(r, friend); ok {
			friends = append(friends, r)
		}
	}
	return friends
}

var relations = func() []string {
	set := map[string]bool{"has_family": true, "has_pet": true}
	for _, all := range nouns {
		for _, n := range all {
			if n.class&bearers != 0 {
				set[n.canon] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(set))
}()

// CalledBy returns the single words for a relation, in all languages.
func CalledBy(relation string) (words []string) {
	for word, all := range nouns {
		if !strings.ContainsAny(word, " -") && slices.ContainsFunc(all, func(n noun) bool { return n.canon == relation && n.class&bearers != 0 }) {
			words = append(words, word)
		}
	}
	return words
}

// numbers are words for more than one.
var numbers = wordSet("two three four five six several many zwei drei vier fünf dos tres cuatro cinco 两 三 四 俩 几 对")

// knownAt returns the person whose name stands at token i, and the number of its tokens,
// 0 for none and for a name that two have. A full name is also known by its first word.
func (r *reader) knownAt(tokens []token, i int) (p person, n int) {
	two := false
	for _, k := range r.known {
		first, _, _ := strings.Cut(k.Name, " ")
		if fillers[foldWord(first)] { // a title
			first = k.Name
		}
		for _, name := range [...]string{k.Name, first} {
			switch m := r.nameAt(tokens, i, name); {
			case m == 0 || m < n || strings.HasPrefix(k.Relation, "has_"):
			case m == n:
				two = two || p.subject != "my "+k.Relation || !sameObject(p.name, k.Name)
			default:
				p, n, two = person{subject: "my " + k.Relation, name: text.Fold(k.Name), called: k.Name}, m, false
			}
		}
	}
	if two {
		return person{}, 0
	}
	return p, n
}

// person is somebody close to the writer: the subject "my sister", the words for the
// relation, "older sister", and the name after them, folded and as written.
type person struct{ subject, relation, name, called string }

// personAt returns the person that the phrase "my sister" at token i means, with or
// without a name after it, and the number of its tokens.
func (r *reader) personAt(tokens []token, i int) (p person, n int) {
	if p, n = r.knownAt(tokens, i); n > 0 {
		return p, n
	}
	m := matcher{lex: r.lex, tokens: tokens}
	j := i
	switch {
	case r.lex.possessives[tokens[i].word]:
		if j++; r.lex.han {
			j = afterOwner(tokens, j)
		}
	case r.lex.han: // 老公跳槽了
		if n := r.calledAt(tokens, i); n > 0 { // 豆豆转学了
			return person{subject: phraseOf(tokens[i : i+n])}, n
		}
	case !r.lex.parents[tokens[i].word]:
		return person{}, 0
	}
	for w := m.nounLength(j); w >= 1; w-- {
		found, ok := m.nounAt(j, w, bearers)
		if !ok || j == i && r.lex.han && !relatives[found.canon] {
			continue
		}
		end := j + w
		for k := r.nameLength(tokens, end); k > 0; k = r.nameLength(tokens, end) {
			end += k
		}
		if _, k := r.knownAt(tokens, end); end == j+w {
			end += k
		}
		p = person{subject: "my " + found.canon, relation: phraseOf(tokens[j : j+w])}
		if j += w; j < end {
			p.name, p.called = phraseOf(tokens[j:end]), r.text[tokens[j].lo:tokens[end-1].hi]
		}
		return p, end - i
	}
	return person{}, 0
}

// sex is a set of what a pronoun may stand for.
type sex uint8

const (
	male sex = 1 << iota
	female
	animal
)

// sexOf returns what a relation may be, by its canonical name and the last of its words.
func sexOf(canon, words string) sex {
	w := words[strings.LastIndexByte(words, ' ')+1:]
	switch _, beast := nounIn(canon, pet); {
	case beast:
		return male | female | animal
	case women[canon] || women[w] || len(w) > 5 && strings.HasSuffix(w, "in") && w != "cousin":
		return female
	case men[canon] || men[w]:
		return male
	}
	return male | female
}

var (
	women = wordSet("mother mother_in_law sister daughter aunt niece grandmother granddaughter sister_in_law wife girlfriend fiancée landlady goddaughter frau ehefrau verlobte cousine mujer esposa novia prometida prima amiga jefa vecina maestra doctora médica compañera casera abogada 妻子 老婆 太太 女朋友 女友 未婚妻 闺蜜 表姐 表妹 堂姐 堂妹")
	men   = wordSet("father father_in_law brother son uncle nephew grandfather grandson brother_in_law husband boyfriend landlord godson mann ehemann freund verlobter marido esposo novio prometido primo amigo jefe vecino maestro médico compañero casero abogado 丈夫 老公 先生 男朋友 男友 未婚夫 表哥 表弟 堂哥 堂弟")
)

// standsFor maps a pronoun to what it may stand for.
var standsFor = map[string]sex{
	"he": male, "his": male, "er": male, "él": male, "他": male, "she": female, "her": female, "sie": female, "ella": female, "她": female, "它": animal,
}

// refersTo reports whether a pronoun can only mean the last person: "my daughter has a
// boyfriend, he …" does not.
func (r *reader) refersTo(pronoun string) bool {
	of := cmp.Or(standsFor[pronoun], male|female)
	return sexOf(strings.TrimPrefix(r.person.subject, "my "), r.person.relation)&of != 0 && r.others&of == 0
}

// sexesIn returns what the people and animals in a part of a clause may be, but not those who
// are what the subject is: "is a doctor".
func (r *reader) sexesIn(t []token) (all sex) {
	m := matcher{lex: r.lex, tokens: t}
	for i, w := range t {
		if is := cmp.Or(r.lex.third[w.word], w.word); is == "am" || is == "bin" || is == "soy" || is == "是" || is == "当" {
			break
		}
		if found, n := m.somebodyAt(i); n > 0 {
			all |= sexOf(found.canon, m.phrase(span{i, i + n}))
		}
	}
	return all
}

// somebodyAt returns the noun for a person or an animal at token i and the number of its
// tokens, 0 for none. 马 is in 罗马, too.
func (m *matcher) somebodyAt(i int) (found noun, n int) {
	for n := m.nounLength(i); n > 0; n-- {
		if found, ok := m.nounAt(i, n, bearers); ok && !(m.lex.han && n == 1 && found.class == pet) {
			return found, n
		}
	}
	return noun{}, 0
}

// thirdPerson reports whether a word may begin a clause about somebody else without its subject.
func (r *reader) thirdPerson(w string) bool {
	first := r.lex.third[w]
	return first != "" && first != w || participles[w] || bearable[w] || strings.HasSuffix(w, "ed") || strings.HasSuffix(w, "ó")
}

// mayBeOthers reports whether the clause that begins at the last token, without a subject, may be
// about somebody in the clause before it: "my niece is here, moved to Leeds", but not
// "I told my boss, quit my job". With own, the clause before it is about the writer.
func (r *reader) mayBeOthers(t []token, own bool) bool {
	before := len(t) - 1
	if before == 0 || own && !bearable[t[before].word] {
		return false
	}
	m := matcher{lex: r.lex, tokens: t[:before]}
	for i, w := range m.tokens {
		if _, n := m.somebodyAt(i); n > 0 || persons[w.word] || i == 0 && !r.lex.known[w.word] && before > 1 && r.lex.index[r.lex.third[t[1].word]] != nil { // "Tom is fine, …"
			return true
		}
	}
	return false
}

// bearable are words for what an object may have too: "I cook for a friend, allergic to nuts".
var bearable = wordSet("allergic intolerant")

// unclipped spells out the verb in "my sister's moved" and "my sister's a nurse", but not
// "my sister's car".
func (l *lexicon) unclipped(t []token) []token {
	if l.of != "of" || len(t) < 2 || t[0].word != "'s" {
		return t
	}
	verb := t[0]
	switch next := t[1].word; {
	case participles[next]:
		verb.word = "has"
	case l.articles[next] || l.prefixes[next] || next == "not" || next == "now":
		verb.word = "is"
	default:
		return t
	}
	return append([]token{verb}, t[1:]...)
}

// ownsAt reports whether what stands before token i owns what follows.
func (r *reader) ownsAt(tokens []token, i int) bool {
	return i+1 < len(tokens) && (tokens[i].word == "的" || tokens[i].word == "'s" && r.lex.unclipped(tokens[i:])[0].word == "'s")
}

// participles are those after which "'s" means "has".
var participles = wordSet("moved left died passed got quit retired joined started stopped switched changed become given gone been had just")

// calledAt returns the number of tokens at i of what Chinese writers call somebody: a
// doubled syllable, or one after 小, 阿 or 老; 0 for none and for other words.
func (r *reader) calledAt(tokens []token, i int) int {
	if i+2 >= len(tokens) || tokens[i].mark || tokens[i+1].mark || tokens[i].quoted {
		return 0
	}
	m := matcher{lex: r.lex, tokens: tokens}
	for n := max(2, m.nounLength(i)); n >= 2; n-- {
		if word := phraseOf(tokens[i : i+n]); nouns[word] != nil || unnamed[word] {
			return 0
		}
	}
	if n, _ := r.lex.adverbs.at(tokens, i); n > 1 || r.lex.subjects[tokens[i+1].word] {
		return 0
	}
	if tokens[i].word == tokens[i+1].word || familiar[tokens[i].word] {
		return 2
	}
	return 0
}

// unnamed are words that look like names among friends.
var unnamed = wordSet("人人 个个 天天 年年 月月 时时 处处 样样 慢慢 渐渐 轻轻 偷偷 悄悄 默默 好好 早早 偏偏 往往 明明 刚刚 谢谢 哈哈 呵呵 嘿嘿 嘻嘻 拜拜 家家 小名 小学 小区 小店 小时 小心 小伙 小组 老是 老人 老外 老乡 老样 老早")

// relatives are words that mean a relative of the writer without 我: 老公, 妈.
var relatives = map[string]bool{
	"mother": true, "father": true, "spouse": true, "sister": true, "brother": true, "daughter": true, "son": true, "child": true,
	"grandmother": true, "grandfather": true, "mother_in_law": true, "father_in_law": true,
}

// nameLength returns the number of tokens from j of a part of a name: a capitalised
// word, in Chinese 小王, 阿明 or 老李; 0 for none.
func (r *reader) nameLength(tokens []token, j int) int {
	switch {
	case r.lex.han && j+2 < len(tokens) && familiar[tokens[j].word] && !tokens[j+1].mark && !unnamed[tokens[j].word+tokens[j+1].word]:
		return 2
	case !r.lex.han && j < len(tokens) && tokens[j].upper && !tokens[j].mark && !r.lex.known[tokens[j].word]:
		return 1
	}
	return 0
}

// familiar are the syllables before a Chinese name among friends.
var familiar = wordSet("小 阿 老")

// metIn returns the claims in the names of the people that the claims of a sentence are
// about: "my brother Markus lives in Linz". There are none for friends, see
// [reader.apposed].
func (r *reader) metIn(claims []Claim) (out []Claim) {
	for _, c := range claims {
		for _, m := range r.met {
			if _, many := nounIn(m.Predicate, friend); !many && c.Name != "" && c.Subject == "my "+m.Predicate && c.Name == text.Fold(m.Object) && !slices.ContainsFunc(append(claims, out...), func(k Claim) bool { return k.Predicate == m.Predicate && k.Object == m.Object }) {
				m.Sentence = c.Sentence
				out = append(out, m)
			}
		}
	}
	return out
}

// close reports whether an object is a person or an animal, which may have an article
// and a date after it, and makes a claim about them of one about the object.
func (r *reader) close(obj span, c *Claim) (ok bool) {
	t := append(slices.Clone(r.m.tokens[:obj.hi]), token{mark: true})
	article := obj.lo > 0 && r.lex.articles[t[obj.lo-1].word]
	if article {
		obj.lo--
		t[obj.lo].word = possessiveWord
	}
	p, n := r.personAt(t, obj.lo)
	if rest := t[obj.lo+n : obj.hi]; n > 0 && (len(rest) == 0 || r.dated(rest) || slices.ContainsFunc(rest, func(w token) bool { return r.dayAt([]token{w}, 0) })) {
		*c, ok = r.about(*c, p)
	}
	_, animal := nounIn(c.Predicate, pet)
	return ok && (animal || !article)
}

// nameAt returns the number of tokens at i if they are a name and not a part of another,
// else 0.
func (r *reader) nameAt(tokens []token, i int, name string) int {
	words := sequence(strings.ReplaceAll(name, " ", "_"))
	after := i + len(words)
	if after >= len(tokens) || len(name) < 2 || len(words) == 1 && (r.lex.han || r.lex.known[words[0]] || nouns[words[0]] != nil) {
		return 0
	}
	for k, w := range words {
		if t := tokens[i+k]; t.word != w || t.quoted || !t.upper && !r.lower && !r.lex.han {
			return 0
		}
	}
	if !r.lex.han && r.nameLength(tokens, after) > 0 {
		return 0
	}
	return len(words)
}

// about completes a claim about somebody: who of several it is, if memory knows only one,
// and that a relation ends with a death. It returns false for the death of one of several.
func (r *reader) about(c Claim, p person) (Claim, bool) {
	relation := strings.TrimPrefix(p.subject, "my ")
	if p.called != "" && p.relation != "" {
		r.met = append(r.met, Claim{Subject: "I", Predicate: relation, Object: p.called, Temporal: State, Functional: single[relation]})
	}
	if p.name == "" && r.named.Predicate == relation { // "my daughter is called Ines, lives in Rome"
		p.name, p.called = text.Fold(r.named.Object), r.named.Object
	}
	of := slices.DeleteFunc(slices.Clone(r.known), func(k Person) bool { return k.Relation != relation })
	several := len(of) > 1 || slices.ContainsFunc(r.known, func(k Person) bool { return r.severalOf(k, relation) })
	if p.name == "" && len(of) == 1 && !several && p.relation != "" && strings.Contains(text.Fold(of[0].Words), p.relation) {
		p.name, p.called = text.Fold(of[0].Name), of[0].Name
	}
	c.Relation = p.relation
	_, animal := nounIn(relation, pet)
	if c.Predicate != died && c.Predicate != lost && !(c.Predicate == gone && (animal || relation == "flatmate")) {
		c.Name = p.name
		return c, c.Predicate != gone
	}
	c.Subject, c.Predicate, c.Object = "I", relation, p.called
	return c, slices.Contains(relations, relation) && (c.Object != "" || single[relation] || len(of) == 0 && !several)
}

// severalOf reports whether a claim says that there are several of a relation: "I have
// two daughters".
func (r *reader) severalOf(k Person, relation string) bool {
	if !strings.HasPrefix(k.Relation, "has_") || !slices.ContainsFunc(sentencesOf(k.Words, make([]byte, len(k.Words))), func(s sentence) bool {
		return slices.ContainsFunc(s.tokens, func(t token) bool { return numbers[t.word] })
	}) {
		return false
	}
	m := matcher{lex: r.lex}
	for _, w := range sequence(strings.ReplaceAll(k.Name, " ", "_")) {
		m.tokens = append(m.tokens, token{word: w})
	}
	found, ok := m.nounAt(0, len(m.tokens), kin|pet)
	return ok && found.canon == relation
}

// Predicates of rows for what ends a relation: the subject has died, an animal or flatmate
// that is the subject is gone, the object has died.
const (
	died = "died"
	gone = "gone"
	lost = "lost"
)

// endsPerson reports whether a claim ends a relation ("my dog Rex died", "I split up with
// my boyfriend") and another says what was true of that person.
func (c Claim) endsPerson(earlier Claim) bool {
	of := c.Subject + "'s "
	if c.Subject == "I" {
		of = "my "
	}
	if !c.Denied || !c.Change || earlier.Subject != of+c.Predicate || earlier.Temporal == Event || earlier.Temporal == Trait {
		return false
	}
	if c.Object == "" || earlier.Name == "" {
		return single[c.Predicate] || c.Object == "" && earlier.Name == "" && c.Relation == earlier.Relation
	}
	return sameObject(c.Object, earlier.Name)
}
