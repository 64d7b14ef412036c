package said

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAnnouncementsLast is about sentences that say what holds from now on, and those that only
// look like them.
func TestAnnouncementsLast(t *testing.T) {
	t.Parallel()
	for _, sentence := range []string{
		"v3 is the default from today.", "Go 1.26 is the minimum version from today", "EUR is the default currency from today",
		"From today we deploy on Tuesdays only.", "From today on everyone uses pnpm instead of npm.", "As of tomorrow the office closes at six.",
		"Prod database is Postgres 16", "The staging URL is stage.ledgerly.io", "Our repo is github.com/acme/tools",
		"Ab heute ist v3 der Standard.", "Ab sofort nutzen wir Postgres 16.", "Postgres 16 ist ab heute der Standard.",
		"A partir de hoy la moneda por defecto es el euro.", "Desde hoy usamos Postgres 16.", "从今天起默认货币是欧元", "从今天开始我们用Postgres 16",
	} {
		require.Truef(t, announces(sentence), "%s", sentence)
		of := LastingOf(sentence)
		require.Lenf(t, of, 1, "%s", sentence)
		require.GreaterOrEqualf(t, of[0].P, leastAnnounced, "%s", sentence)
	}
	for _, sentence := range []string{
		"Marek is on call from today.", "Marek is the on-call person from today.", "I'm on holiday from tomorrow.", "I have a cold from today",
		"From tomorrow I'm in Berlin.", "From today we have guests.", "From today till Sunday the office is closed.", "From today use metric units, please.",
		"The report is due from tomorrow.", "The kids are the loudest from tomorrow to Friday.", "The database is down", "The database is 80% full", "The branch is broken again",
		"The port is 5 minutes from here", "The host is lovely", "Ab heute habe ich Urlaub.", "Ab morgen bin ich weg.", "Ab sofort antworte bitte auf Deutsch.",
		"Ab heute sind Ferien.", "A partir de hoy estoy de vacaciones.", "Desde hoy tengo fiebre y tos.", "从今天起我休假两周", "从明天起我出差到周日", "Die Adresse ist mir entfallen",
		"Is the staging URL stage.ledgerly.io?", "What is the default from today?",
	} {
		require.Falsef(t, announces(sentence), "%s", sentence)
	}
}
