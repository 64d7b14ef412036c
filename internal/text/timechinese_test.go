package text

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestChineseTimes(t *testing.T) {
	ref := time.Date(2025, 5, 14, 12, 0, 0, 0, time.UTC) // a Wednesday
	for written, want := range map[string]string{
		"他昨天来过吗":        "昨天 2025-05-13 2025-05-14",
		"前天晚上":          "前天晚上 2025-05-12 2025-05-13",
		"上周三查的":         "上周三 2025-05-07 2025-05-08",
		"上個禮拜天":         "上個禮拜天 2025-05-11 2025-05-12",
		"上周发生了什么":       "上周 2025-05-05 2025-05-12",
		"下週要出海":         "下週 2025-05-19 2025-05-26",
		"上周末":           "上周末 2025-05-10 2025-05-12",
		"星期五":           "星期五 2025-05-09 2025-05-10",
		"上个月底":          "上个月底 2025-04-21 2025-05-01",
		"去年":            "去年 2024-01-01 2025-01-01",
		"去年夏天":          "去年夏 2024-06-01 2024-09-01",
		"去年三月":          "去年三月 2024-03-01 2024-04-01",
		"三月十号":          "三月十号 2025-03-10 2025-03-11",
		"3月10日":         "3月10日 2025-03-10 2025-03-11",
		"十一月份":          "十一月份 2024-11-01 2024-12-01",
		"2024年12月":      "2024年12月 2024-12-01 2025-01-01",
		"二〇二四年":         "二〇二四年 2024-01-01 2025-01-01",
		"三天前":           "三天前 2025-05-11 2025-05-12",
		"两个月前":          "两个月前 2025-03-01 2025-04-01",
		"两周以后":          "两周以后 2025-05-26 2025-06-02",
		"过去十天":          "过去十天 2025-05-05 2025-05-15",
		"明年二月二十九号":      "明年 2026-01-01 2027-01-01",
		"十三月":           "",
		"三个月大":          "",
		"周一到周三":         "周一到周三 2025-05-12 2025-05-15",
		"last week 和昨天": "last week 2025-05-05 2025-05-12, 昨天 2025-05-13 2025-05-14",
		"我用iPhone昨天买的":  "昨天 2025-05-13 2025-05-14",
	} {
		got := ""
		for _, s := range TimeSpans(written, ref) {
			require.Equal(t, s.Text, written[s.Offset:s.Offset+len(s.Text)])
			if got != "" {
				got += ", "
			}
			got += s.Text + " " + s.Start.Format(time.DateOnly) + " " + s.End.Format(time.DateOnly)
		}
		require.Equal(t, want, got, written)
	}
}

func TestChineseTimesNeverOverlap(t *testing.T) {
	words := rapid.SampledFrom([]string{"去年", "三", "月", "十", "号", "上", "个", "周", "天", "前", "2024", "年", "底", "最近", "last week ", "的", "x"})
	rapid.Check(t, func(t *rapid.T) {
		s := ""
		for _, w := range rapid.SliceOfN(words, 0, 12).Draw(t, "words") {
			s += w
		}
		end := 0
		for _, span := range TimeSpans(s, time.Date(2025, 5, 14, 12, 0, 0, 0, time.UTC)) {
			require.GreaterOrEqual(t, span.Offset, end)
			end = span.Offset + len(span.Text)
			require.Equal(t, span.Text, s[span.Offset:end])
			require.True(t, span.Start.Before(span.End))
		}
	})
}

func TestWithoutFunctionWords(t *testing.T) {
	for question, want := range map[string][]string{
		"马骁的店是什么时候开业的？":         {"马骁", "店", "开业"},
		"谁照顾生病的小满？":             {"照顾", "顾生", "生病", "小满"},
		"她不是学会计的吗":              {"学会", "会计"},
		"什么？":                   {"什么"},
		"Where did she buy it?": {"buy"},
		"Café 的价格多少钱":           {"cafe", "价格"},
		"誰送的懷錶":                 {"送", "懷錶"},
	} {
		require.Equal(t, want, QueryTerms(WithoutFunctionWords(question), 0), question)
	}
	rapid.Check(t, func(t *rapid.T) {
		s := rapid.String().Draw(t, "s")
		require.Equal(t, len(QueryTerms(s, 5)) > 0, len(QueryTerms(WithoutFunctionWords(s), 5)) > 0)
	})
}
