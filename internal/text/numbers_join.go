package text

import (
	"strconv"
	"strings"
)

// JoinNumbers writes whole numbers with commas between them.
func JoinNumbers(numbers []int64) string {
	texts := make([]string, len(numbers))
	for i, n := range numbers {
		texts[i] = strconv.FormatInt(n, 10)
	}
	return strings.Join(texts, ",")
}
