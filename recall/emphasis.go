package recall

import (
	"strings"
	"unicode/utf8"
)

// asideShare is the emphasis of words that any question may hold: what frames
// it, dates, and the commonest words.
const asideShare = 0.1

// emphasis is how much each part of the question says of its topic, 0–1. All
// words say the same but for asides.
//
// Of a script without spaces, most of a question's bigrams stand across two
// words and are in no memory for that reason alone. One that the memory does
// not hold says nothing if it holds a function character, and otherwise only as
// much as it has characters that no neighbour accounts for.
func (q *question) emphasis(ix *index) []float64 {
	asked := make(map[string]bool, len(q.parts))
	for _, p := range q.parts {
		asked[p.term] = true
	}
	accounted := func(at int) bool {
		term := q.terms[at]
		return !asked[term] || isFunctional(term) || ix.holding(term) > 0
	}
	of := make(map[string]float64, len(q.parts))
	for i, term := range q.terms {
		if !asked[term] {
			continue
		}
		e := 1.0
		switch {
		case isAside(term), isFunctional(term) && ix.holding(term) > 0:
			e = asideShare
		case isFunctional(term):
			e = 0
		case isUnspaced(term) && ix.holding(term) == 0:
			if i > 0 && overlap(q.terms[i-1], term) && accounted(i-1) {
				e -= 0.5
			}
			if i+1 < len(q.terms) && overlap(term, q.terms[i+1]) && accounted(i+1) {
				e -= 0.5
			}
		}
		of[term] = max(of[term], e)
	}
	return q.share(of)
}

// share lists the emphasis of the parts: the same for all when none has any.
func (q *question) share(of map[string]float64) []float64 {
	emphasis, sum := make([]float64, len(q.parts)), 0.0
	for i, p := range q.parts {
		emphasis[i] = of[p.term]
		sum += emphasis[i]
	}
	if sum == 0 {
		for i := range emphasis {
			emphasis[i] = asideShare
		}
	}
	return emphasis
}

// isUnspaced reports a bigram, or a single character, of a script without
// spaces.
func isUnspaced(term string) bool {
	first, _ := utf8.DecodeRuneInString(term)
	return first >= firstUnspaced
}

// overlap reports whether two bigrams that follow each other share a character.
func overlap(a, b string) bool {
	last, _ := utf8.DecodeLastRuneInString(a)
	first, _ := utf8.DecodeRuneInString(b)
	return last == first && isUnspaced(a)
}

// isFunctional reports a term of a script without spaces that is no word: a
// single character, or a bigram that holds a function character.
func isFunctional(term string) bool {
	return isUnspaced(term) && (utf8.RuneCountInString(term) == 1 || strings.ContainsAny(term, functionCharacters))
}

// functionCharacters of Chinese are hardly ever part of a word of two.
const functionCharacters = "的了着过吗呢吧啊呀嘛么们我你您他她它咱这那哪些个什怎谁几是在和与跟或但也都就还又很不没被把给让从到曾其而且经于由"

// isAside reports a term that says little about what a question is about.
func isAside(term string) bool {
	return frameWord[term] || dateWord[term] || commonWord[term] || term[0] >= '0' && term[0] <= '9'
}

// commonWord lists the commonest words that may stand in a question about
// anything and, missing from a memory, say nothing about its topic.
var commonWord = vocabulary(`call called good bad better best well great big small little long short old young high low
	find found keep put set turn start stop begin end finish work working live lived need like love enjoy prefer favorite favourite
	know learn learned understand understanding believe hope wish hear heard see saw look watch meet met visit visited
	buy bought pay spend cost bring leave left stay move moved go went come came back return run play attend
	ask asked answer reply speak spoke write wrote read use used using approach handle manage
	day week month year today tomorrow yesterday morning afternoon evening night weekend hour minute moment future past
	man woman friend friends family life world home house place city country part side end point number kind
	idea reason problem issue question result change changed improve improved increase develop developed progress
	important main major minor general overall total full complete whole entire single couple few several next early late later
	especially usually always never sometimes already still together alone instead besides around away
	influence impact affect feel feeling relate related interest interested information detail details step steps
	option options choose choice suggest suggestion recommend advice tip mean meaning true false real possible likely
	current previous original key focus goal experience role level type form case event reach allow follow create receive
	曾经 名字 提到 告诉 看到 听到 记得 知道 觉得 认为 喜欢 推荐 建议 一些 一部 一本 一次 一天 一起 这天 当时 关于 内容
	事情 东西 问题 地方 工作 生活 朋友 时间 因为 因此 最近 计划 今天 昨天 明天 每天 今年 去年 第一 需要 应该 打算 准备 决定
	开始 结束 发生 遇到 参加 使用 进行 帮助 原因 方法 方式 情况 最喜 描述 介绍 说过 聊过 讨论 分享 期间 以后 之后 哪种
	种类 类型 多久 多长 有没 是否 能不 不能 想要 希望`)
