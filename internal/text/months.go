package text

import "strings"

// The names of the months, from January; several of one are separated by spaces. Short forms stand
// apart, since some of them are other words as well.
var (
	EnglishMonths      = [12]string{"january", "february", "march", "april", "may", "june", "july", "august", "september", "october", "november", "december"}
	EnglishShortMonths = [12]string{"jan", "feb", "mar", "apr", "", "jun", "jul", "aug", "sept sep", "oct", "nov", "dec"}
	GermanMonths       = [12]string{"januar jänner", "februar feber", "märz", "april", "mai", "juni", "juli", "august", "september", "oktober", "november", "dezember"}
	GermanShortMonths  = [12]string{"jan", "feb", "", "apr", "", "jun", "jul", "aug", "sept sep", "okt", "nov", "dez"}
	SpanishMonths      = [12]string{"enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre setiembre", "octubre", "noviembre", "diciembre"}
)

// anyMonth is an expression that matches each of some names.
func anyMonth(months ...[12]string) string {
	var names []string
	for _, of := range months {
		names = append(names, strings.Fields(strings.Join(of[:], " "))...)
	}
	return strings.Join(names, "|")
}
