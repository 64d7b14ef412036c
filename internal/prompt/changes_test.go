package prompt

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// What a later line says by its form to be otherwise now is shown with it, however little room there is.
func TestNamedChangesStandTogether(t *testing.T) {
	for _, c := range []struct{ old, later, beside string }{
		{"nehm bisoprolol 5 morgens", "bisoprolol is ganz abgesetzt", "nehm simvastatin 20 abends"},
		{"joined the choir at st marys", "jacked in the choir", "joined the bowls club"},
		{"estoy en la cooperativa de la cuadra", "me sali de la cooperativa", "estoy en la junta del barrio"},
		{"报了瑜伽 每周二晚上", "瑜伽卡到期了 不续了", "我妈爱吃辣"},
		{"Priya owns refunds here", "Li owns refunds here now", "Sam owns payouts here"},
	} {
		sentences := []string{c.old, c.beside}
		for i := range 24 {
			sentences = append(sentences, fmt.Sprintf("Shelf number %d is painted red.", i+2))
		}
		sentences = append(sentences, c.later)
		lines := linesOf(claimsOf(nil, sentences...), time.UTC, time.Time{})
		text := lines.Ask(t.Context(), c.old+" "+c.beside, "", Meaning{}, nil, time.Now()).Choose(120).Text
		require.Contains(t, text, "Mar 1: "+c.old+"\n")
		require.Contains(t, text, "\n- Fri Mar 27: "+c.later+"\n")
		require.Contains(t, text, "\n- Mon Mar 2: "+c.beside)
	}
}
