package prompt

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/internal/text"
)

// TestAStayOfAWhileEnds is about sentences that say when what they tell is over.
func TestAStayOfAWhileEnds(t *testing.T) {
	t.Parallel()
	said := time.Date(2026, 3, 4, 9, 0, 0, 0, time.UTC) // a Wednesday
	for sentence, days := range map[string]int{
		"I'm on holiday this week, in Crete":                   7,
		"I'm covering support this week, call +48 600 100 200": 7,
		"I'm on call this week, +48 600 100 200 if it burns":   7,
		"I'm in Berlin this week for the fair":                 7,
		"Marek Nowak is on call from today till sunday":        7,
		"I'm off until Friday":                                 5,
		"I'm working from home for two weeks":                  16,
		"My brother's in hospital for 3 days":                  5,
		"Ich bin diese Woche im Urlaub":                        7,
		"Ich bin bis Sonntag in Bereitschaft":                  7,
		"Bin zwei Wochen in Kur":                               16,
		"Ich vertrete diese Woche den Chef":                    7,
		"Esta semana estoy de vacaciones en Creta":             7,
		"Estoy de guardia hasta el domingo":                    7,
		"Estoy de baja durante dos semanas":                    16,
		"我这周在柏林出差":                                             7,
		"我值班到周日":                                               7,
		"我休假两个星期":                                              16,
	} {
		end := ownEnd(sentence, text.TimeSpans(sentence, said), said)
		require.Falsef(t, end.IsZero(), "no end: %s", sentence)
		require.Truef(t, end.After(said.AddDate(0, 0, 1)) && !end.After(said.AddDate(0, 0, days)), "%s: %s", sentence, end)
	}
	for _, sentence := range []string{
		"My mother died this week", "Our baby was born this week", "I passed my exam this week", "We got a dog this week",
		"I'm moving to Berlin this week", "I'm in Berlin", "I'm on call every other week", "I've been in Berlin for two weeks",
		"I'm in hospital since this week because of my heart", "I was in Berlin this week", "I'm off until Friday, then I start at Acme",
		"I'm in Berlin this week and my number is now +49 151 2345", "I'm alone two weeks a year", "I'm 12 weeks pregnant",
		"I worked at Evans until Friday", "I'm getting divorced this week", "I'm on holiday in two weeks", "I'm in Berlin from Friday",
		"I'm married since this week", "I sold my car this week", "The clinic is in Berlin", "I'm allergic to what is in season this week, mostly birch",
		"Ich bin seit zwei Wochen in Kur", "Ich bin diese Woche Vater geworden", "Ich habe diese Woche gekündigt", "Ich bin jede Woche in Berlin",
		"Diese Woche ist mein Vater gestorben", "Esta semana nació mi hija", "Estoy casada desde esta semana", "Estoy en Madrid cada semana",
		"这周我妈妈去世了", "我这周辞职了", "我每周值班", "我已经休假两个星期了", "我这周怀孕了",
	} {
		require.Zerof(t, ownEnd(sentence, text.TimeSpans(sentence, said), said), "ends: %s", sentence)
	}
}

// TestAppointments is about sentences that say no more than an appointment.
func TestAppointments(t *testing.T) {
	t.Parallel()
	for _, sentence := range []string{
		"Neurologist is booked, Pemberton, 9 June at 8:45, Bon Secours.", "I've an appointment with Dr Osei on 14 May at 10.",
		"Booked the eye screening (diabetic retinopathy) for 21 April 2:30pm at the Victoria hospital.", "Physio is on 3 April at 4.",
		"Ich habe am 14. Mai um 10 Uhr einen Termin bei Dr. Osei.", "Tengo cita con el doctor Osei el 14 de mayo a las 10.", "5月14日10点预约了欧医生",
	} {
		require.Truef(t, isShort(sentence), "%s", sentence)
	}
	for _, sentence := range []string{
		"Booked the surgery for 3 June because my left knee is worn out.", "Appointment on 3 June with Dr Osei, who found that I am allergic to nuts.",
		"I'm booked on 3 June and my daughter Ann lives with me in Bristol.", "Termin am 3. Juni bei Dr. Osei, weil ich gegen Nüsse allergisch bin.",
		"Tengo cita el 3 de junio porque soy alérgica a los frutos secos.", "我6月3日预约了体检,因为我对坚果过敏而且有高血压",
	} {
		require.Falsef(t, isShort(sentence), "%s", sentence)
	}
}
