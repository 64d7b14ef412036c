package extension

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// What a request names as an exception stays, also as a sentence of a message that goes, and what it excepts in
// other words is not forgotten before somebody says what is meant. A duo is one thing.
func TestForgetWithAnException(t *testing.T) {
	const brother, boss = "My brother Tom is in prison.", "My boss Tom likes sailing."
	for _, c := range []struct {
		says  []string
		ask   string
		gone  string // "" if it waits
		stays string
	}{
		{[]string{brother, boss}, "Forget everything about Tom, except my boss.", brother, boss},
		{[]string{brother, boss}, "Forget everything about Tom, but not the sailing.", brother, boss},
		{[]string{brother + " " + boss}, "Forget everything about Tom except the sailing.", brother + " " + boss, boss},
		{[]string{"Mein Bruder Tom sitzt im Gefängnis.", "Mein Chef Tom segelt gern."}, "Lösch alles über Tom, bis auf das mit dem Chef.", "Mein Bruder Tom sitzt im Gefängnis.", "Mein Chef Tom segelt gern."},
		{[]string{"Mein Bruder Tom sitzt im Gefängnis.", "Mein Chef Tom segelt gern."}, "Vergiss alles über Tom außer dem Segeln.", "", "Mein Chef Tom segelt gern."},
		{[]string{"Mi hermano Luis está en la cárcel.", "Mi jefe Luis es simpático."}, "Olvida todo lo de Luis excepto lo de mi jefe", "Mi hermano Luis está en la cárcel.", "Mi jefe Luis es simpático."},
		{[]string{"Mi hermano Luis está en la cárcel.", "Mi jefe Luis es simpático."}, "Borra todo lo que dije de Luis, menos lo de mi jefe.", "", "Mi jefe Luis es simpático."},
		{[]string{"My boss at work drinks.", "My salary at work is 4,200 a month."}, "Forget what I said about work but keep the salary.", "", "My salary at work is 4,200 a month."},
		{[]string{"My boss at work drinks. My salary at work is 4,200 a month."}, "Forget what I said about work but keep the salary.", "My boss at work drinks. My salary at work is 4,200 a month.", "My salary at work is 4,200 a month."},
		{[]string{"We saw Simon and Garfunkel in 1981.", "My cousin Simon got divorced."}, "Forget what I said about Simon and Garfunkel", "We saw Simon and Garfunkel in 1981.", "My cousin Simon got divorced."},
	} {
		l := newDiary(t)
		for _, message := range c.says {
			l.says(message)
		}
		l.publish(c.ask)
		records, err := l.x.Timeline(t.Context(), dora, TimelineQuery{Limit: 100})
		require.NoError(t, err)
		holds := func(text string) bool {
			return slices.ContainsFunc(records, func(r Record) bool { return r.Content == text })
		}
		require.True(t, holds(c.stays), c.ask)
		require.False(t, holds(c.gone), c.ask)
		waiting, err := l.x.Proposals(t.Context(), dora)
		require.NoError(t, err)
		require.Equal(t, c.gone == "", len(waiting) > 0, c.ask)
	}
}

// A message before the request that may be one itself is offered.
func TestForgetOffersWhatReadsLikeARequest(t *testing.T) {
	l := newDiary(t)
	const secret = "te cuento pero q quede acá. mi prima nicole le pidió 600 lucas a un prestamista y el marido no tiene idea"
	l.says("cuando te pregunte de remedios dame la dosis en mg por kilo y no me mandes al doctor, q trabajo con veinte")
	l.says("el porton de acá se abre con 4471. te lo digo xq hoy me quedé afuera con el niño dormido en brazos y lloviendo")
	l.says(secret)
	l.says("mi prima la kathy está de cuatro meses y necesita plata")
	const ask = "oye lo de mi prima y la plata, borralo porfa. me pesa haberlo contado"
	l.publish(ask)
	require.Contains(t, l.tool("forget_memory", map[string]any{"query": ask}), secret)
}
