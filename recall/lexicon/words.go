package lexicon

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ebbmem/ebb/internal/intent"
	"github.com/ebbmem/ebb/internal/text"
)

// IsUnspaced reports a bigram, or a single character, of a script without spaces.
func IsUnspaced(term string) bool {
	first, _ := utf8.DecodeRuneInString(term)
	return first >= firstUnspaced
}

// IsFunctional reports a term of a script without spaces that is not a word: a
// single character, or a bigram with a function character.
func IsFunctional(term string) bool {
	return IsUnspaced(term) && (utf8.RuneCountInString(term) == 1 || strings.ContainsAny(term, functionCharacters))
}

// functionCharacters are Chinese characters that are rarely part of a word of two
// characters.
const functionCharacters = "的了着过吗呢吧啊呀嘛么们我你您他她它咱这那哪些个什怎谁几是在和与跟或但也都就还又很不没被把给让从到曾其而且经于由"

// IsFrame reports a word that frames a question instead of naming its topic: "what
// kind of", "do they both".
func IsFrame(term string) bool { return frameWord[term] }

// IsGeneric reports a term that may stand in a question about anything: a frame, a
// date, or one of the commonest words.
func IsGeneric(term string) bool {
	return frameWord[term] || dateWord[term] || commonWord[term] || term[0] >= '0' && term[0] <= '9'
}

// Identifying returns a bit for each of the terms of a question that is a rare number: "run 881" is
// that run, whatever form the question has. found is how many chunks of the memory hold each term.
// A bit beyond 63 is lost.
func Identifying(terms []string, found []int) (bits uint64) {
	for i, term := range terms {
		if found[i] <= mostIdentified && isIdentifier(term) {
			bits |= 1 << i
		}
	}
	return bits
}

// mostIdentified is the number of chunks that a number may stand in to identify something.
const mostIdentified = 8

// isIdentifier reports whether a term is a number that is hardly an amount or a year.
func isIdentifier(term string) bool {
	n, err := strconv.Atoi(term)
	switch {
	case err != nil || term[0] == '0':
		return false
	case len(term) == 3:
		return n%10 != 0
	case len(term) == 4:
		return n%100 != 0 && (n < 1900 || n >= 2100)
	}
	return len(term) > 4 && n%1000 != 0
}

// Distinctive returns a bit for each term of a question that hardly any message of the user's
// contains, unless the question is surely general knowledge. stated is how many messages that do not
// only ask contain each term, chunks is the size of the memory. What the memory holds says more than
// the form: "who is dougie", "que se lleva a los inflables". A bit beyond 63 is lost.
func Distinctive(question string, terms []string, stated []int, chunks int) (bits uint64) {
	if len(terms) > mostAsked {
		return 0 // a text to work on
	}
	for i, term := range terms {
		if n := stated[i]; n > 0 && n <= min(mostStated, chunks/distinctiveIn) && !IsGeneric(term) && !IsFunctional(term) {
			bits |= 1 << i
		}
	}
	if bits != 0 && intent.Own.P(question) < leastOwn {
		return 0
	}
	return bits
}

// A distinctive word stands in at most mostStated messages and in one of distinctiveIn chunks, since
// all words of a small memory are rare. A question has at most mostAsked terms. leastOwn is the least
// probability that it is about the user's own affairs.
const (
	mostStated    = 3
	distinctiveIn = 40
	mostAsked     = 12
	leastOwn      = 0.06
)

// frameWord lists words that frame a question ("what kind of …", "do they both …").
var frameWord = text.TermsOf(`kind type sort name describe description mention say tell talk discuss think feel many much
	time number often recently might would likely consider according specific particular various different both
	share common thing way make take give use become happen come plan decide want able start currently
	new first last ever person people example inspire regarding related involve include participate engage
	activity show help try seem look conversation question answer summary summarize comprehensive order
	walk bring brought aspect across item list session only throughout topic explain
	什么 怎么 时候 哪里 哪个 哪些 哪天 多少 几个 现在 目前 最后 最近 以前 之前 后来`)

// commonWord lists the commonest other words, neither frames nor dates, that may stand in a
// question about anything and, missing from a memory, say nothing about its topic.
var commonWord = text.TermsOf(`call good bad better best well great big small little long short old young high low
	find found keep put set turn stop begin end finish work live need love enjoy prefer favorite favourite
	know learn understand believe hope wish hear heard see saw watch meet met visit
	buy bought pay spend cost leave left stay move go went came back return run play attend
	ask reply speak spoke write wrote read approach handle manage
	morning afternoon evening night hour minute moment future past
	man woman friend family life world home house place city country part side point
	idea reason problem issue result change improve increase develop progress
	important main major minor general overall total full complete whole entire single couple few several early late later
	especially usually always never sometimes already still together alone instead besides around away
	influence impact affect interest information detail step
	option choose choice suggest recommend advice tip mean true false real possible
	previous original key focus goal experience role level form case event reach allow follow create receive
	曾经 名字 提到 告诉 看到 听到 记得 知道 觉得 认为 喜欢 推荐 建议 一些 一部 一本 一次 一天 一起 这天 当时 关于 内容
	事情 东西 问题 地方 工作 生活 朋友 时间 因为 因此 计划 每天 第一 需要 应该 打算 准备 决定
	开始 结束 发生 遇到 参加 使用 进行 帮助 原因 方法 方式 情况 最喜 描述 介绍 说过 聊过 讨论 分享 期间 以后 之后 哪种
	种类 类型 多久 多长 有没 是否 能不 不能 想要 希望`)

// IsLatin reports whether most letters of a text are Latin.
func IsLatin(text string) bool {
	latin, other := 0, 0
	for _, r := range text {
		switch {
		case unicode.Is(unicode.Latin, r):
			latin++
		case unicode.IsLetter(r):
			other++
		}
	}
	return latin >= other
}
