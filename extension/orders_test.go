package extension

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// An order about the work at hand is over when it is done: it leaves no line, and stands above no rule.
func TestOrdersLeaveNoLine(t *testing.T) {
	for _, message := range []string{
		"run the linter on envs/prod/main.tf", "delete the generated files in build/gen", "I get a nil pointer in src/ds/Button.tsx, can you look?",
		"I think src/i18n/en.json leaks a goroutine", "no, the other one", "should I use the blue or the green template?",
		"export the result as csv", "move the meeting with Finance to Thursday", "in this session answer in German",
		"answer in English until we're done with the translation",
		"führ den Linter auf envs/prod/main.tf aus", "lösch die generierten Dateien in build/gen", "mach den zweiten Absatz kürzer",
		"pasa el linter en envs/prod/main.tf", "borra los archivos generados en build/gen", "mueve la reunión con Finanzas al jueves",
		"在envs/prod/main.tf上跑linter", "删掉build/gen里生成的文件", "把和财务的会议改到周四",
		"+\t// I prefer tabs\n-\t// I prefer spaces\n\nis this diff fine?",
		`the README says "I use Arch, never use apt". remove that line`,
		"proto comment: // I am never null. fix the grammar",
	} {
		l := newDiary(t)
		l.says(message)
		require.Empty(t, l.profiled(), message)
	}
	l := newDiary(t)
	l.says("delete the generated files in build/gen")
	l.says("never touch the generated files in api/gen")
	l.says("regenerate the files in api/gen")
	require.Equal(t, []string{"never touch the generated files in api/gen"}, l.profiled())
}

// How to work from now on is a lasting line.
func TestRulesOfWorkLast(t *testing.T) {
	for _, message := range []string{
		"don't ever force push to main", "always run `make lint` before you commit", "ask before you delete files", "money is int64 cents everywhere",
		"CI is on Buildkite", "don't add dependencies without asking me", "gofumpt instead of gofmt in this repo", "PRs need two approvals in infra",
		"Jonas owns the ledger", "use table tests", "letters to authorities go out by registered mail", "book me the window seat always",
		"niemals auf main pushen", "PRs brauchen zwei Freigaben", "Jonas ist für das Ledger zuständig",
		"nunca hagas push a main", "los PR necesitan dos aprobaciones", "Jonas es el responsable del ledger",
		"不要强推main分支", "PR需要两个人批准", "账本由Jonas负责",
	} {
		l := newDiary(t)
		l.says(message)
		p, err := l.x.Profile(t.Context(), dora)
		require.NoError(t, err)
		require.Len(t, p.Lines, 1, message)
		require.Equal(t, ProfileSaid, p.Lines[0].Group, message)
	}
}

// What people say of their lives is no order, whatever it begins with.
func TestLivesAreNoOrders(t *testing.T) {
	for _, message := range []string{
		"send Mum the photos, her birthday is on the 9th", "add oat milk to the shopping list, Theo can't have dairy", "I need a new knee brace for my left leg",
		"rename the file to Oskar.jpg, that is my dog", "draft a mail to my landlord, the heating has been off since October",
		"let's skip pork, we keep halal", "put the passport in the freezer bag so I find it", "call me Sam", "I need the blue inhaler twice a day",
		"lass die Katze bei Oma, wir fahren in Urlaub", "stell mir den Wecker auf sechs, ich habe Frühdienst",
		"pon la alarma a las seis, tengo turno", "给我闹钟定六点,我早班",
	} {
		l := newDiary(t)
		l.says(message)
		require.NotEmpty(t, l.profiled(), message)
	}
}
