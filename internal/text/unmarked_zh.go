package text

import (
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

var (
	chineseAsking = strings.Fields(`什么 什麼 甚么 怎么 怎麼 怎样 怎樣 为啥 为何 多少 多久 多大 多长 多重 多高 多远 哪 谁 誰 啥 咋 几点 几号 几月 几岁 几楼 几路 几层 几码 几室 几斤 第几 周几 星期几 幾`)
	// chineseIndefinite hold question words that ask nothing: 谁都没告诉, 什么都不想吃, 不知道为什么.
	chineseIndefinite = strings.Fields(`什么都 什么也 什麼都 啥都 啥也 谁都 谁也 誰都 誰也 哪都 哪也 哪儿都 哪儿也 哪里都 哪里也 哪个都 哪天都 怎么都 怎么也 怎样都 多少都 多少也 多少有 多少会 多少能 多少还 多少沾 多少带 没什么 没啥 没怎么 没几 没谁 没哪 不怎么 不怎样 不咋 没多 不多久 不多大 多大点
		好几 十几 几十 几百 几千 几万 几乎 几率 这几 那几 前几 后几 头几 过几 几天没 几天前 几年前 几个月前 几次了 几个朋友 几句 哪怕 哪吒 哪有 哪能 哪会 哪想 哪里哪里 哪天再 哪天去 哪天要 谁知道 谁叫 谁让 谁说不 管他 管它
		一些什么 点什么 点啥 些啥 个什么 为什么我要 怎么这么 怎么那么 怎么又 怎么还不 咋这么 咋那么 咋又 多少钱都 怎么说呢 怎么说 不管 无论 不论 甭管 随便 任何 记住 记下 谁谁 什么什么 该咋 爱咋 别 忘了吧 忘掉 删 保密 留着 万一 要是 如果 假如`)
	// chineseKnown precede a question that is reported, not asked.
	chineseKnown  = strings.Fields(`知道 晓得 告诉 告訴 问 問 忘了 忘记 忘掉 在想 想起 记得 记不 明白 清楚 看看 看她 看他 看我 决定 定好 定下 研究 纠结 商量 讨论 说好 猜 教 学 想想 想着 算算 说了 说过 搞懂 弄懂 搞不懂 选 挑 解释 介绍 记录 查了 查到 听说 发现 不懂`)
	chineseAskers = strings.Fields(`请问 你知道 你还记得 还记得 记得我 你记得 告诉我 帮我查 帮我看 问一下 问下 想问 知不知道`)
	// chineseRepeated are verbs repeated with 不 or 没.
	chineseRepeated = strings.Fields(`是不是 有没有 有沒有 能不能 会不会 會不會 要不要 可不可以 该不该 对不对 好不好 行不行 用不用 去不去 来不来 吃不吃 还有没 想不想 敢不敢 让不让 算不算 爱不爱 喜不喜欢 做没做 打没打 说没说`)
)

// indefinite matches 什么酒我都不碰.
var indefinite = regexp.MustCompile(`(?:什么|啥|谁|哪|怎么|怎样|多少|多大|几|是不是|有没有|能不能|要不要).{0,8}[都也]|多少(?:有|吃)?点|多少有些|几代`)

// asksChinese reads a sentence in Chinese. All of its clauses must ask, or the last one, behind a
// short one.
func asksChinese(s string) Asking {
	clauses := strings.FieldsFunc(s, func(r rune) bool { return endsClause(r) || r == ' ' || r == '　' })
	if len(clauses) == 0 || utf8.RuneCountInString(s) > mostAskedHan {
		return AsksNot
	}
	asks, may, beside := 0, 0, 0
	for _, clause := range clauses {
		switch asksInChinese(clause) {
		case AsksByForm:
			asks++
		case MayAsk:
			may++
		default:
			beside += utf8.RuneCountInString(clause)
		}
	}
	tells := false // of oneself, beside the question
	for _, c := range clauses[1:] {
		tells = tells || (strings.HasPrefix(c, "我") && asksInChinese(c) == AsksNot)
	}
	if tells && asksInChinese(clauses[len(clauses)-1]) == AsksNot {
		return AsksNot
	}
	last := asksInChinese(clauses[len(clauses)-1])
	switch {
	case asks == len(clauses) || asksInChinese(clauses[0]) == AsksByForm && beside <= mostBesideHan && !tells:
		return AsksByForm
	case asks > 0 && last == AsksByForm && len(clauses) == 2 && utf8.RuneCountInString(clauses[0]) <= 4:
		return AsksByForm
	case last != AsksNot || asks+may > 0 && len(clauses) <= 2:
		return MayAsk
	}
	return AsksNot
}

// asksInChinese reads a clause.
func asksInChinese(clause string) Asking {
	whole := clause
	if clause = strings.TrimRight(clause, "啊呀哦呢哈嘞来着"); clause == "" || isIndefinite(clause) {
		return AsksNot
	}
	known := func(at int) bool { return isReported(clause, at) }
	if rest, ok := strings.CutSuffix(clause, "没"); ok {
		if at := max(strings.LastIndex(rest, "了"), strings.LastIndex(rest, "过")); at > 0 && utf8.RuneCountInString(rest[at:]) <= 4 && !strings.HasSuffix(rest, "还") && !known(at) {
			return AsksByForm
		}
	}
	if strings.HasSuffix(clause, "吗") || strings.HasSuffix(clause, "嗎") || strings.HasSuffix(clause, "了没有") || strings.HasSuffix(clause, "过没有") || strings.HasSuffix(clause, "了沒") {
		if known(len(clause)) {
			return MayAsk
		}
		return AsksByForm
	}
	first := len(clause)
	for _, w := range append(chineseRepeated, chineseAsking...) {
		if at := strings.Index(clause, w); at >= 0 {
			first = min(first, at)
		}
	}
	switch {
	case first == len(clause) && strings.Contains(clause, "几") && !strings.Contains(clause, "了几") && !known(strings.Index(clause, "几")):
		return MayAsk
	case first == len(clause) && strings.HasSuffix(whole, "呢") && !known(first):
		if strings.Contains(clause, "还没") || strings.Contains(clause, "还在") || strings.Contains(clause, "正") || strings.HasSuffix(clause, "着") {
			return MayAsk // "he's still at work"
		}
		return AsksByForm
	case first == len(clause), known(first):
		return AsksNot
	}
	return AsksByForm
}

// isIndefinite reports a clause with a question word that asks nothing.
func isIndefinite(clause string) bool {
	if end := strings.LastIndex(clause, "什么的"); end >= 0 && !strings.Contains(clause[:end], "是") && !strings.HasSuffix(clause[:end], "干") && !strings.HasSuffix(clause[:end], "做") {
		return true // "and so on"
	}
	return slices.ContainsFunc(chineseIndefinite, func(w string) bool { return strings.Contains(clause, w) }) || indefinite.MatchString(clause)
}

// isReported reports whether the question at a place of a clause is reported, not asked.
func isReported(clause string, at int) bool {
	from := 0
	for _, w := range chineseAskers {
		if strings.HasPrefix(clause, w) {
			from = len(w)
		}
	}
	return slices.ContainsFunc(chineseKnown, func(w string) bool { return strings.LastIndex(clause[:at], w) >= from })
}
