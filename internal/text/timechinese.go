package text

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
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
)

var chineseTimes = []struct {
	pattern *regexp.Regexp
	resolve func(g []string, ref time.Time) (from, to time.Time, ok bool)
	future  grain // see timeMatch; of a weekday only without 上 or 下
}{
	{regexp.MustCompile(`^(` + zhYear + `)(?:的)?(` + zhNumber + `)月份?(?:(` + zhNumber + `)` + zhDay + `|(` + zhPart + `))?`), zhDateOfYear, 0},
	{regexp.MustCompile(`^(` + zhYear + `)(?:的)?(春|夏|秋|冬|年初|年底|年末|初|底)?`), zhPartOfYear, 0},
	{regexp.MustCompile(`^(` + zhNumber + `)月份?(?:(` + zhNumber + `)` + zhDay + `|(` + zhPart + `))?`), zhDate, year},
	{regexp.MustCompile(`^(上上|上|这|這|本|下下|下)(?:个|個)?月(` + zhPart + `)?`), zhMonth, 0},
	{regexp.MustCompile(`^(上上|上|这|這|本|下下|下)?(?:个|個)?(?:周|週|星期|礼拜|禮拜)([一二三四五六日天末])`), zhWeekday, week},
	{regexp.MustCompile(`^(上上|上|这|這|本|下下|下)(?:个|個)?(?:周|週|星期|礼拜|禮拜)`), zhWeek, 0},
	{regexp.MustCompile(`^(大前天|前天|昨天|昨日|昨晚|今天|今日|今早|今晚|明天|明日|大后天|大後天|后天|後天)(早上|早晨|上午|中午|下午|晚上|夜里)?`), zhNearDay, 0},
	{regexp.MustCompile(`^(` + zhNumber + `)(?:个|個)?(天|日|周|週|星期|礼拜|禮拜|月|年)(?:以|之)?(前|后|後)`), zhAway, 0},
	{regexp.MustCompile(`^(元旦前一晚|元旦前夜|跨年夜?|平安夜|圣诞节?|聖誕節?|元旦|国庆节?|國慶節?|情人节|情人節)`), zhHoliday, year},
	{regexp.MustCompile(`^(?:最近|过去|過去)(?:的|这|這)?(` + zhNumber + `)(?:个|個)?(天|日|周|週|星期|礼拜|禮拜|月|年)`), zhPast, 0},
}

// chineseSpans finds Chinese time expressions, from left to right.
func chineseSpans(s string, ref time.Time) (out []TimeSpan) {
	for at := 0; at < len(s); {
		span, size := chineseSpan(s[at:], ref)
		if size == 0 {
			at += max(len(zhLeading.FindString(s[at:])), firstSize(s[at:]))
			continue
		}
		if span.Start.Year() >= 1 && span.End.Year() <= 9999 && span.Start.Before(span.End) {
			span.Offset = at
			out = append(out, span)
		}
		at += size
	}
	return out
}

// zhLeading matches a whole number, which is not cut: 十三月 does not contain 三月.
var zhLeading = regexp.MustCompile(`^(?:\d+|[〇零一二两兩三四五六七八九十廿百千万萬]+)`)

func firstSize(s string) int {
	_, size := utf8.DecodeRuneInString(s)
	return size
}

func chineseSpan(s string, ref time.Time) (TimeSpan, int) {
	for _, t := range chineseTimes {
		g := t.pattern.FindStringSubmatch(s)
		if g == nil {
			continue
		}
		if from, to, ok := t.resolve(g, ref); ok {
			span := TimeSpan{Start: from, End: to, Text: s[:len(g[0])]}
			if t.future != 0 && (t.future != week || g[1] == "") {
				span.later(timeMatch{from: from, to: to, future: t.future})
			}
			return span, len(g[0])
		}
	}
	return TimeSpan{}, 0
}

// withChinese adds Chinese expressions to those already found. They replace
// matches of their digits alone.
func withChinese(found []TimeSpan, s string, ref time.Time) []TimeSpan {
	if !strings.ContainsFunc(s, func(r rune) bool { return unicode.Is(unicode.Han, r) }) {
		return found
	}
	chinese := chineseSpans(s, ref)
	found = slices.DeleteFunc(found, func(f TimeSpan) bool {
		return slices.ContainsFunc(chinese, func(c TimeSpan) bool {
			return f.Offset < c.Offset+len(c.Text) && c.Offset < f.Offset+len(f.Text)
		})
	})
	found = append(found, chinese...)
	slices.SortFunc(found, func(a, b TimeSpan) int { return cmp.Compare(a.Offset, b.Offset) })
	return found
}

var zhDigits = map[rune]int{
	'〇': 0, '零': 0, '一': 1, '二': 2, '两': 2, '兩': 2, '三': 3, '四': 4, '五': 5, '六': 6, '七': 7, '八': 8, '九': 9,
}

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

func zhDateOfYear(g []string, ref time.Time) (from, to time.Time, ok bool) {
	return zhMonthAndDay(zhYearOf(g[1], ref), zhNumberOf(g[2]), g[3], g[4], ref)
}

func zhMonthAndDay(year, month int, day, part string, ref time.Time) (from, to time.Time, ok bool) {
	if month < 1 || month > 12 || year < 1 {
		return from, to, false
	}
	from = time.Date(year, time.Month(month), 1, 0, 0, 0, 0, ref.Location())
	if day == "" {
		from, to = zhThird(from, part)
		return from, to, true
	}
	d := zhNumberOf(day)
	from = from.AddDate(0, 0, d-1)
	return from, from.AddDate(0, 0, 1), d >= 1 && from.Month() == time.Month(month)
}

// zhThird returns a third of the month that begins at from.
func zhThird(from time.Time, part string) (time.Time, time.Time) {
	switch part {
	case "初", "上旬":
		return from, from.AddDate(0, 0, 10)
	case "中旬":
		return from.AddDate(0, 0, 10), from.AddDate(0, 0, 20)
	case "下旬", "底", "末":
		return from.AddDate(0, 0, 20), from.AddDate(0, 1, 0)
	}
	return from, from.AddDate(0, 1, 0)
}

func zhPartOfYear(g []string, ref time.Time) (from, to time.Time, ok bool) {
	year := zhYearOf(g[1], ref)
	start := func(y int, m time.Month) time.Time { return time.Date(y, m, 1, 0, 0, 0, 0, ref.Location()) }
	switch g[2] {
	case "春":
		from = start(year, time.March)
	case "夏":
		from = start(year, time.June)
	case "秋":
		from = start(year, time.September)
	case "冬": // the season of its December, as in English
		from = start(year, time.December)
	case "年初", "初":
		return start(year, time.January), start(year, time.March), year >= 1
	case "年底", "年末", "底":
		return start(year, time.November), start(year+1, time.January), year >= 1
	default:
		return start(year, time.January), start(year+1, time.January), year >= 1
	}
	return from, from.AddDate(0, 3, 0), year >= 1
}

func zhDate(g []string, ref time.Time) (from, to time.Time, ok bool) {
	month := zhNumberOf(g[1])
	for _, year := range [...]int{ref.Year(), ref.Year() - 1} {
		if from, to, ok = zhMonthAndDay(year, month, g[2], g[3], ref); !ok || !from.After(ref) {
			return from, to, ok
		}
	}
	return from, to, ok
}

// zhHoliday returns the nearest past date of a holiday with one agreed date.
func zhHoliday(g []string, ref time.Time) (from, to time.Time, ok bool) {
	on := fixed(12, 25)
	switch {
	case strings.HasPrefix(g[1], "元旦前"), strings.HasPrefix(g[1], "跨年"):
		on = fixed(12, 31)
	case g[1] == "元旦":
		on = fixed(1, 1)
	case g[1] == "平安夜":
		on = fixed(12, 24)
	case strings.HasPrefix(g[1], "国庆"), strings.HasPrefix(g[1], "國慶"):
		on = fixed(10, 1)
	case strings.HasPrefix(g[1], "情人"):
		on = fixed(2, 14)
	}
	m, ok := holidaySpan(feast{on, 0, 1}, "", ref)
	return m.from, m.to, ok
}

var zhSteps = map[string]int{"上上": -2, "上": -1, "这": 0, "這": 0, "本": 0, "下": 1, "下下": 2}

func zhMonth(g []string, ref time.Time) (from, to time.Time, ok bool) {
	from = time.Date(ref.Year(), ref.Month(), 1, 0, 0, 0, 0, ref.Location()).AddDate(0, zhSteps[g[1]], 0)
	from, to = zhThird(from, g[2])
	return from, to, true
}

// zhMonday returns the start of ref's week.
func zhMonday(ref time.Time) time.Time {
	return dayStart(ref).AddDate(0, 0, -(int(ref.Weekday())+6)%7)
}

func zhWeekday(g []string, ref time.Time) (from, to time.Time, ok bool) {
	monday := zhMonday(ref)
	if g[2] == "末" {
		from = monday.AddDate(0, 0, 5+7*zhSteps[g[1]])
		if g[1] == "" && from.After(ref) {
			from = from.AddDate(0, 0, -7)
		}
		return from, from.AddDate(0, 0, 2), true
	}
	day := slices.Index([]string{"一", "二", "三", "四", "五", "六"}, g[2])
	if day < 0 {
		day = 6
	}
	from = monday.AddDate(0, 0, day+7*zhSteps[g[1]])
	if g[1] == "" && !from.Before(dayStart(ref)) { // alone it never means today
		from = from.AddDate(0, 0, -7)
	}
	return from, from.AddDate(0, 0, 1), true
}

func zhWeek(g []string, ref time.Time) (from, to time.Time, ok bool) {
	from = zhMonday(ref).AddDate(0, 0, 7*zhSteps[g[1]])
	return from, from.AddDate(0, 0, 7), true
}

func zhNearDay(g []string, ref time.Time) (from, to time.Time, ok bool) {
	near := map[string]int{
		"大前天": -3, "前天": -2, "昨天": -1, "昨日": -1, "昨晚": -1, "明天": 1, "明日": 1, "后天": 2, "後天": 2, "大后天": 3, "大後天": 3,
	}
	from = dayStart(ref).AddDate(0, 0, near[g[1]])
	switch {
	case g[2] == "早上" || g[2] == "早晨" || g[2] == "上午" || g[1] == "今早":
		from, to = partSpan(from, 0)
	case g[2] == "中午" || g[2] == "下午":
		from, to = partSpan(from, 1)
	case g[2] != "" || strings.HasSuffix(g[1], "晚"):
		from, to = partSpan(from, 3)
	default:
		to = from.AddDate(0, 0, 1)
	}
	return from, to, true
}

// zhUnit returns the calendar unit n units away.
func zhUnit(unit string, n int, ref time.Time) (from, to time.Time) {
	switch unit {
	case "天", "日":
		from = dayStart(ref).AddDate(0, 0, n)
		return from, from.AddDate(0, 0, 1)
	case "月":
		from = time.Date(ref.Year(), ref.Month(), 1, 0, 0, 0, 0, ref.Location()).AddDate(0, n, 0)
		return from, from.AddDate(0, 1, 0)
	case "年":
		from = time.Date(ref.Year()+n, 1, 1, 0, 0, 0, 0, ref.Location())
		return from, from.AddDate(1, 0, 0)
	}
	from = zhMonday(ref).AddDate(0, 0, 7*n)
	return from, from.AddDate(0, 0, 7)
}

func zhAway(g []string, ref time.Time) (from, to time.Time, ok bool) {
	n := zhNumberOf(g[1])
	if n < 1 || n > 3000 {
		return from, to, false
	}
	if g[3] == "前" {
		n = -n
	}
	from, to = zhUnit(g[2], n, ref)
	return from, to, true
}

func zhPast(g []string, ref time.Time) (from, to time.Time, ok bool) {
	n := zhNumberOf(g[1])
	if n < 1 || n > 3000 {
		return from, to, false
	}
	to = dayStart(ref).AddDate(0, 0, 1)
	switch g[2] {
	case "天", "日":
		return to.AddDate(0, 0, -n), to, true
	case "月":
		return to.AddDate(0, -n, 0), to, true
	case "年":
		return to.AddDate(-n, 0, 0), to, true
	}
	return to.AddDate(0, 0, -7*n), to, true
}
