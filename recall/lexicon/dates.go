package lexicon

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/ebbmem/ebb/internal/text"
)

// monthNames holds the names of each month, from January.
var monthNames = strings.Split(`january jan januar jänner enero 一月,february feb februar feber febrero 二月,march mar märz marzo 三月,april apr abril 四月,
	may mai mayo 五月,june jun juni junio 六月,july jul juli julio 七月,august aug agosto 八月,september sept sep septiembre setiembre 九月,
	october oct oktober okt octubre 十月,november nov noviembre 十一月,december dec dezember dez diciembre 十二月`, ",")

// MonthTerms are the terms by which texts name a month, in any language.
func MonthTerms(m time.Month) []string {
	terms := text.Terms(monthNames[m-1])
	return append(terms, strconv.Itoa(int(m)), fmt.Sprintf("%02d", int(m)))
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
