package said

import (
	"regexp"
	"strconv"
	"strings"
)

// isReading reports whether an object is the writer's weight, in a message that only lists
// readings of a body: "fasting 7.0, BP 130/80, weight 85.1", not "my parcel arrived, weight 40 kg"
// nor "Luna was at the vet. Weight 12.4 kg."
func (v *value) isReading() bool {
	for _, s := range parse(v.reader.text) {
		for _, t := range s.tokens {
			if !t.mark && !readings[t.word] && !readingUnit.MatchString(t.word) {
				return false
			}
		}
	}
	m := bodyweight.FindStringSubmatch(v.claim.Object)
	if m == nil {
		return false
	}
	kilos, _ := strconv.ParseFloat(strings.Replace(m[1], ",", ".", 1), 64)
	switch unit := strings.ToLower(m[2]); {
	case strings.HasPrefix(unit, "lb") || unit == "pounds":
		kilos *= 0.4536
	case strings.HasPrefix(unit, "st"):
		kilos *= 6.35
	case unit == "斤":
		kilos /= 2
	}
	return kilos >= leastWeight && kilos <= mostWeight
}

// leastWeight and mostWeight bound the weight of a grown-up, in kg.
const leastWeight, mostWeight = 35, 250

// readings are what stands beside a reading of one's weight.
var readings = wordSet(`weight bodyweight today now this morning evening sugar glucose fasting before after breakfast bp blood pressure pulse temp temperature hba1c a1c bmi fat over kg kgs kilo kilos lb lbs pounds st stone mmol mg dl l cm
gewicht körpergewicht heute jetzt früh morgen abend zucker blutzucker nüchtern blutdruck puls temperatur zu kilogramm pfund
peso hoy ahora esta mañana noche azúcar glucosa glucemia ayunas en tensión presión pulso temperatura
体 重 现 在 今 天 早 上 晚 血 糖 压 空 腹 心 率 温 脉 搏 公 斤 千 克`)

var (
	readingUnit = regexp.MustCompile(`^[\d.,:/%]+(?:kgs?|lbs?|st|mmol|mg|cm|bpm)?$`)
	bodyweight  = regexp.MustCompile(`(?i)^(\d{2,3}(?:[.,]\d{1,2})?) ?(kgs?|kilos?|kilogramm|lbs?|pounds|st|stone|公斤|千克|斤|)$`)
)
