package lexicon

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/ebbmem/ebb/internal/text"
)

var chineseMonths = [12]string{"一月", "二月", "三月", "四月", "五月", "六月", "七月", "八月", "九月", "十月", "十一月", "十二月"}

// MonthTerms are the terms by which texts name a month, in any language.
func MonthTerms(m time.Month) []string {
	names := text.TermsOf(text.EnglishMonths[m-1], text.EnglishShortMonths[m-1], text.GermanMonths[m-1], text.GermanShortMonths[m-1], text.SpanishMonths[m-1], chineseMonths[m-1])
	return append(slices.Collect(maps.Keys(names)), strconv.Itoa(int(m)), fmt.Sprintf("%02d", int(m)))
}

// DayTerms are the terms by which texts name a day of the month.
func DayTerms(d int) []string {
	suffix := "th"
	if d/10 != 1 {
		switch d % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return []string{strconv.Itoa(d), strconv.Itoa(d) + suffix, fmt.Sprintf("%02d", d)}
}
