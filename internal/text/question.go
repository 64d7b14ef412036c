package text

import (
	"strings"
	"unicode"
)

// WithoutFunctionWords replaces every Chinese function word by a space, so that
// no bigram joins one with half a content word: 他的店是什么时候开业的 becomes 店 and
// 开业. A remaining piece of one character matches every word that holds it. Other
// scripts, and a text of function words alone, are returned unchanged.
func WithoutFunctionWords(s string) string {
	if isASCII(s) {
		return s
	}
	var content strings.Builder
	for i, run := 0, []rune(s); i < len(run); {
		if n := functionWord(run[i:]); n > 0 {
			content.WriteByte(' ')
			i += n
			continue
		}
		content.WriteRune(run[i])
		i++
	}
	if !strings.ContainsFunc(content.String(), isTermRune) {
		return s
	}
	return content.String()
}

// functionWord returns the length in runes of the longest Chinese function word
// at the start, 0 for none.
func functionWord(run []rune) int {
	if !unicode.Is(unicode.Han, run[0]) {
		return 0
	}
	for n := min(longestFunction, len(run)); n > 0; n-- {
		if word := string(run[:n]); functionWords[word] {
			return n
		} else if contentWords[word] {
			return 0
		}
	}
	return 0
}

const longestFunction = 4

// functionWords are Chinese function words, question words first, in simplified
// and traditional characters.
var functionWords = WordSet(`
什么时候 什麼時候 为什么 為什麼 怎么样 怎麼樣 怎么办 怎麼辦 是不是 有没有 有沒有 多少钱 多少錢 哪一个 哪一個 哪一种
哪一種 什么 什麼 甚麼 怎么 怎麼 怎样 怎樣 如何 哪里 哪裡 哪裏 哪儿 哪兒 哪个 哪個 哪些 哪天 哪年 哪位 哪家 哪种 哪種 哪几
哪幾 哪国 哪國 多少 多久 多长 多長 多大 几个 幾個 几岁 幾歲 几次 幾次 几点 幾點 时候 時候 何时 何時 我们 我們 你们 你們
他们 他們 她们 她們 咱们 咱們 这个 這個 那个 那個 这些 這些 那些 这里 這裡 那里 那裡 那儿 那兒 因为 因為 所以 但是 还是
還是 或者 以及 关于 關於 曾经 曾經 已经 已經 一个 一個 一些 一种 一種 没有 沒有 可以 自己 之前 之后 之後 以前 以后 以後
后来 後來 最后 最後 最近 现在 現在 目前 当时 當時 说过 說過 提到 提过 提過 告诉 告訴 分别 分別 一共 总共 總共 一开始
的 了 吗 嗎 呢 吧 啊 呀 谁 誰 哪 是 在 我 你 您 他 她 它 牠 们 們 也 就 很 着 著 把 被 和 与 與 跟 由 及 都 不 那 这 這 几 幾
过 過 有 会 會 要 去 为 為 给 給 对 對 从 從 到 做`)

// contentWords begin with the characters of a function word but are content
// words.
var contentWords = WordSet(`
会计 會計 会议 會議 过敏 過敏 过年 過年 过世 過世 过期 過期 了解 着急 著急 在线 在線 和平 有趣 有名 目的 对象 對象 对手 對手
到期 要求 去世 去年 从前 從前 为难 為難 做饭 做飯 做菜 是非 都市 有限 就业 就業 就医 就醫 就读 就讀 哪吒 跟团 跟團 和尚
给力 把手 被子 会员 會員 会长 會長 你好`)

// WordSet returns the words of lists with spaces between them, as a set.
func WordSet(lists ...string) map[string]bool {
	set := make(map[string]bool)
	for _, list := range lists {
		for w := range strings.FieldsSeq(list) {
			set[w] = true
		}
	}
	return set
}
