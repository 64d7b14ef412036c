package text

import (
	"regexp"
	"strconv"
	"strings"
	"time"
)

// A Chinese time expression is one pattern with its groups. The first match
// wins, so longer patterns come first.
//
// The rules are those of [TimeSpans]: 上周 and 上个月 are calendar units, 上周三 is
// the Wednesday of the week before, a month or weekday alone is the nearest
// past one, 三天前 is that day and 两个月前 that month. 初 and 上旬 are the first
// third of a month, 底 and 下旬 the last.
const (
	zhNumber = `\d{1,4}|[〇零一二两兩三四五六七八九十廿]{1,4}`
	zhYear   = `大前年|前年|去年|今年|明年|后年|後年|(?:\d{4}|[〇零一二三四五六七八九]{4})年`
	zhDay    = `(?:[日号號])`
	zhPart   = `初|中旬|上旬|下旬|底|末`
	zhUnit   = `天|日|周|週|星期|礼拜|禮拜|月|年`
)

var chineseTimes = []timePhrase{
	{regexp.MustCompile(`^(` + zhYear + `)(?:的)?(` + zhNumber + `)月份?(?:(` + zhNumber + `)` + zhDay + `|(` + zhPart + `))?`), func(g []string, ref time.Time) (timeMatch, bool) {
		return zhMonthAndDay(strconv.Itoa(zhYearOf(g[1], ref)), g[2], g[3], g[4], ref)
	}},
	{regexp.MustCompile(`^(` + zhYear + `)(?:的)?(春|夏|秋|冬|年初|年底|年末|初|底)?`), zhPartOfYear},
	{regexp.MustCompile(`^(` + zhNumber + `)月份?(?:(` + zhNumber + `)` + zhDay + `|(` + zhPart + `))?`), func(g []string, ref time.Time) (timeMatch, bool) {
		m, ok := zhMonthAndDay("", g[1], g[2], g[3], ref)
		return m, ok && zhNumberOf(g[2]) <= daysIn(ref.Year(), time.Month(zhNumberOf(g[1])))
	}},
	{regexp.MustCompile(`^(上上|上|这|這|本|下下|下)(?:个|個)?月(` + zhPart + `)?`), func(g []string, ref time.Time) (timeMatch, bool) {
		m, ok := wholeUnit(zhSteps[g[1]], month)(ref)
		return zhThird(m, g[2]), ok
	}},
	{regexp.MustCompile(`^(上上|上|这|這|本|下下|下)?(?:个|個)?(?:周|週|星期|礼拜|禮拜)([一二三四五六日天末])`), zhWeekday},
	{regexp.MustCompile(`^(上上|上|这|這|本|下下|下)(?:个|個)?(?:周|週|星期|礼拜|禮拜)`), func(g []string, ref time.Time) (timeMatch, bool) { return wholeUnit(zhSteps[g[1]], week)(ref) }},
	{regexp.MustCompile(`^(大前天|前天|昨天|昨日|昨晚|今天|今日|今早|今晚|明天|明日|大后天|大後天|后天|後天)(早上|早晨|上午|中午|下午|晚上|夜里)?`), zhNearDay},
	{regexp.MustCompile(`^(` + zhNumber + `)(?:个|個)?(` + zhUnit + `)(?:以|之)?(前|后|後)`), func(g []string, ref time.Time) (timeMatch, bool) {
		n := zhNumberOf(g[1])
		if g[3] == "前" {
			n = -n
		}
		m, ok := countedUnits(n, zhUnits[g[2]], ref)
		return m, ok && zhNumberOf(g[1]) > 0
	}},
	{regexp.MustCompile(`^(元旦前一晚|元旦前夜|跨年夜?|平安夜|圣诞节?|聖誕節?|元旦|国庆节?|國慶節?|情人节|情人節)`), func(g []string, ref time.Time) (timeMatch, bool) {
		return holidaySpan(zhFeasts[strings.TrimRight(g[1], "节節")], "", ref)
	}},
	{regexp.MustCompile(`^(?:最近|过去|過去)(?:的|这|這)?(` + zhNumber + `)(?:个|個)?(` + zhUnit + `)`), func(g []string, ref time.Time) (timeMatch, bool) {
		m, ok := lastUnits(zhNumberOf(g[1]), zhUnits[g[2]], ref)
		return m, ok && zhNumberOf(g[1]) > 0
	}},
}

// zhLeading matches a whole number, which is not cut: 十三月 does not contain 三月.
var zhLeading = regexp.MustCompile(`^(?:\d+|[〇零一二两兩三四五六七八九十廿百千万萬]+)`)

var (
	zhDigits = map[rune]int{
		'〇': 0, '零': 0, '一': 1, '二': 2, '两': 2, '兩': 2, '三': 3, '四': 4, '五': 5, '六': 6, '七': 7, '八': 8, '九': 9,
	}
	zhUnits  = map[string]grain{"天": day, "日": day, "周": week, "週": week, "星期": week, "礼拜": week, "禮拜": week, "月": month, "年": year}
	zhParts  = map[string]int{"早上": 0, "早晨": 0, "上午": 0, "中午": 1, "下午": 1, "晚上": 3, "夜里": 3} // in dayParts
	zhSteps  = map[string]int{"上上": -2, "上": -1, "这": 0, "這": 0, "本": 0, "下": 1, "下下": 2}
	zhFeasts = map[string]feast{
		"元旦前一晚": {fixed(12, 31), 0, 1}, "元旦前夜": {fixed(12, 31), 0, 1}, "跨年": {fixed(12, 31), 0, 1}, "跨年夜": {fixed(12, 31), 0, 1}, "元旦": {fixed(1, 1), 0, 1},
		"平安夜": {fixed(12, 24), 0, 1}, "圣诞": {fixed(12, 25), 0, 1}, "聖誕": {fixed(12, 25), 0, 1}, "国庆": {fixed(10, 1), 0, 1}, "國慶": {fixed(10, 1), 0, 1}, "情人": {fixed(2, 14), 0, 1},
	}
	// zhYearParts are the first month and the number of months. 冬 is the season of its
	// December, as in English.
	zhYearParts = map[string][2]int{"春": {3, 3}, "夏": {6, 3}, "秋": {9, 3}, "冬": {12, 3}, "年初": {1, 2}, "初": {1, 2}, "年底": {11, 2}, "年末": {11, 2}, "底": {11, 2}, "": {1, 12}}
)

// zhNumberOf parses 7, 二十三, 十, 廿五 and 二〇二四. It returns -1 for anything else.
func zhNumberOf(s string) int {
	if n, err := strconv.Atoi(s); err == nil {
		return n
	}
	total, digit, digits := 0, -1, 0
	for _, r := range s {
		d, ok := zhDigits[r]
		switch {
		case ok && digit >= 0 && total == 0: // one digit after another, as in a year
			digit, digits = digit*10+d, digits+1
		case ok:
			digit, digits = d, digits+1
		case r == '十':
			total += 10 * max(digit, 1)
			if digit < 0 {
				total = 10
			}
			digit = -1
		case r == '廿':
			total, digit = 20, -1
		default:
			return -1
		}
	}
	if digits > 2 && total > 0 {
		return -1
	}
	return total + max(digit, 0)
}

func zhYearOf(s string, ref time.Time) int {
	near := map[string]int{"大前年": -3, "前年": -2, "去年": -1, "今年": 0, "明年": 1, "后年": 2, "後年": 2}
	if n, ok := near[s]; ok {
		return ref.Year() + n
	}
	return zhNumberOf(strings.TrimSuffix(s, "年"))
}

// zhMonthAndDay reads a day of a month, a month or a third of it; without a year the
// nearest past one.
func zhMonthAndDay(yr, monthNumber, d, part string, ref time.Time) (m timeMatch, ok bool) {
	mo := zhNumberOf(monthNumber)
	if mo < 1 || mo > 12 {
		return m, false
	}
	if d != "" {
		return calendarDay(zhNumberOf(d), time.Month(mo), yr, ref)
	}
	m, ok = calendarMonth(time.Month(mo), yr, ref)
	if m = zhThird(m, part); m.future != 0 && m.from.After(ref) {
		m.from, m.to = addUnits(m.from, -1, year), addUnits(m.to, -1, year)
	}
	return m, ok
}

// zhThird narrows a month to a third of it, if one is named.
func zhThird(m timeMatch, part string) timeMatch {
	switch from := m.from; part {
	case "初", "上旬":
		m.to = from.AddDate(0, 0, 10)
	case "中旬":
		m.from, m.to = from.AddDate(0, 0, 10), from.AddDate(0, 0, 20)
	case "下旬", "底", "末":
		m.from = from.AddDate(0, 0, 20)
	}
	return m
}

func zhPartOfYear(g []string, ref time.Time) (timeMatch, bool) {
	part := zhYearParts[g[2]]
	from := time.Date(zhYearOf(g[1], ref), time.Month(part[0]), 1, 0, 0, 0, 0, ref.Location())
	return timeMatch{from: from, to: addMonths(from, part[1])}, true
}

func zhWeekday(g []string, ref time.Time) (timeMatch, bool) {
	wd := max(0, strings.Index("日一二三四五六", g[2])/len("日")) // 天 is 日
	switch {
	case g[2] == "末" && g[1] == "":
		return bareWeekend(ref), true
	case g[2] == "末":
		return wholeUnit(zhSteps[g[1]], weekend)(ref)
	case g[1] == "":
		return bareWeekday(wd, ref), true
	}
	from := floor(ref, week).AddDate(0, 0, (wd+6)%7+7*zhSteps[g[1]])
	return timeMatch{from: from, to: from.AddDate(0, 0, 1)}, true
}

func zhNearDay(g []string, ref time.Time) (timeMatch, bool) {
	part := g[2]
	switch {
	case g[1] == "今早":
		part = "早上"
	case part == "" && strings.HasSuffix(g[1], "晚"):
		part = "晚上"
	}
	return nearDay(map[string]int{
		"大前天": -3, "前天": -2, "昨天": -1, "昨日": -1, "昨晚": -1, "明天": 1, "明日": 1, "后天": 2, "後天": 2, "大后天": 3, "大後天": 3,
	}[g[1]], part, zhParts, ref)
}
