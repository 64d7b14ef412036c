package extension

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/eventbus"
)

// about returns the current claims about people, as "daughter lives_in Leeds", and those
// that name them, as "daughter Kirsty".
func (l *diary) about() (claims []string) {
	for _, m := range l.claimed() {
		switch _, relation, of := strings.Cut(m.Subject, "'s "); {
		case of:
			claims = append(claims, strings.TrimSpace(relation+" "+m.Predicate+" "+m.Object))
		case m.Predicate != "":
			claims = append(claims, strings.TrimSpace(m.Predicate+" "+m.Object))
		}
	}
	slices.Sort(claims)
	return claims
}

func TestNameStandsForThePerson(t *testing.T) {
	for _, c := range []struct {
		says []string
		want string
	}{
		{[]string{"My daughter Kirsty lives in York.", "Kirsty moved to Leeds last week."}, "daughter Kirsty, daughter lives_in Leeds"},
		{[]string{"My daughter lives in York.", "My daughter is called Kirsty.", "Kirsty moved to Leeds."}, "daughter Kirsty, daughter lives_in Leeds"},
		{[]string{"My daughter is called Kirsty and she lives in York.", "Kirsty moved to Leeds."}, "daughter Kirsty, daughter lives_in Leeds"},
		{[]string{"My daughter Kirsty lives in York.", "My daughter has moved to Leeds."}, "daughter Kirsty, daughter lives_in Leeds"},
		{[]string{"my boss Gail Strombeck lives in York", "Gail moved to Leeds."}, "boss Gail Strombeck, boss lives_in Leeds"},
		{[]string{"My friend Dev lives in York.", "Dev has moved to Leeds."}, "friend lives_in Leeds"},
		{[]string{"My daughter Kirsty lives in York. Kirsty moved to Leeds."}, "daughter Kirsty, daughter lives_in Leeds"},
		{[]string{"my daughter is called Kirsty", "my daughter lives in york", "kirsty moved to leeds"}, "daughter Kirsty, daughter lives_in leeds"},
		{[]string{"Mein Bruder Markus lebt in Linz.", "Markus ist nach Graz gezogen."}, "brother Markus, brother lives_in Graz"},
		{[]string{"Mi hija Lucía trabaja en el banco.", "Lucía ya no trabaja en el banco."}, "daughter Lucía, daughter works_at banco"},
		{[]string{"我弟弟叫李强，住在深圳。", "李强搬到广州了。"}, "brother lives_in 广州, brother 李强"},

		{[]string{"My cousin Hattie lives in York.", "Hattie's moved to Leeds."}, "cousin Hattie, cousin lives_in Leeds"},
		{[]string{"My cousin Hattie lives in York.", "In May Hattie moved to Leeds."}, "cousin Hattie, cousin lives_in Leeds"},
		{[]string{"Mein Bruder Markus lebt in Linz.", "Seit Mai wohnt Markus in Graz."}, "brother Markus, brother lives_in Graz"},

		{[]string{"My dog Biscuit lives in the barn.", "Biscuit died on Sunday."}, "dog Biscuit"},
		{[]string{"Our dog is called Rex.", "Our dog lives in the barn.", "We lost Rex on Tuesday."}, "dog Rex"},
		{[]string{"My gran Edith lives in Hull.", "My gran died on Sunday."}, "grandmother Edith"},
		{[]string{"My gran lives in Hull.", "My gran passed away."}, "grandmother"},
		{[]string{"Mein Opa Alfred lebt in Celle.", "Alfred ist am Sonntag gestorben."}, "grandfather Alfred"},
		{[]string{"Mi abuela Remedios vive en Toledo.", "Remedios falleció anoche."}, "grandmother Remedios"},
		{[]string{"My flatmate Jonah works at Tesco.", "Jonah moved out on Friday."}, "flatmate Jonah"},
		{[]string{"Gestern ist unser Hund Bello gestorben."}, "dog Bello"},
		{[]string{"我家猫叫汤圆。", "汤圆走了。"}, "cat 汤圆"},
		{[]string{"我爷爷叫张德福，住在乡下。", "张德福去世了。"}, "grandfather 张德福"},

		// it is not known who is meant
		{[]string{"My brother Tom lives in York.", "My boss is called Tom.", "Tom moved to Leeds."}, "boss Tom, brother Tom, brother lives_in York"},
		{[]string{"My daughter Kirsty lives in York.", "My daughter is called Emma.", "My daughter has moved to Leeds."}, "daughter Emma, daughter Kirsty, daughter lives_in Leeds, daughter lives_in York"},
		{[]string{"I have two daughters.", "My daughter Kirsty lives in York.", "My daughter has moved to Leeds."}, "daughter Kirsty, daughter lives_in Leeds, daughter lives_in York, has_family daughters"},
		{[]string{"My gran Edith lives in Hull.", "My nan moved to Leeds."}, "grandmother Edith, grandmother lives_in Hull, grandmother lives_in Leeds"},
		{[]string{"Our cat is called Miso.", "Our cat is called Tofu.", "Our cat died."}, "cat Miso, cat Tofu"},
		{[]string{"My daughter Kirsty lives in York.", "Kirsty Young moved to Leeds."}, "daughter Kirsty, daughter lives_in York"},
		{[]string{"My daughter Kirsty lives in York.", "My colleague Kirsty moved to Leeds."}, "colleague lives_in Leeds, daughter Kirsty, daughter lives_in York"},
		{[]string{"我姐叫刘芳，住在杭州。", "我妹搬到苏州了。"}, "sister lives_in 杭州, sister lives_in 苏州, sister 刘芳"},
		{[]string{"My boss is called Gail.", "My boss is now Tom.", "My boss lives in York.", "Gail moved to Leeds."}, "boss Tom, boss lives_in York"},

		{[]string{"My cousin Hattie lives in York.", "Hattie's sister lives in Leeds."}, "cousin Hattie, cousin lives_in York"},
		{[]string{"My cousin Hattie lives in York.", "Hattie and her friend moved to Leeds."}, "cousin Hattie, cousin lives_in York"},
		{[]string{"My daughter Kirsty lives in York.", "My daughter Kirsty moved out."}, "daughter Kirsty, daughter lives_in York"},

		{[]string{"My dentist is Dr. Hale.", "My dentist lives in York.", "Dr. Lind moved to Leeds."}, "dentist Dr. Hale, dentist lives_in York"},

		// it is not said that it is so
		{[]string{"My daughter Kirsty lives in York.", "Did Kirsty move to Leeds?"}, "daughter Kirsty, daughter lives_in York"},
		{[]string{"My daughter Kirsty lives in York.", "Maybe Kirsty moved to Leeds."}, "daughter Kirsty, daughter lives_in York"},
		{[]string{"My daughter Kirsty lives in York.", "If Kirsty moved to Leeds I'd miss her."}, "daughter Kirsty, daughter lives_in York"},
		{[]string{"My daughter Kirsty lives in York.", "Hamish wrote:\n> Kirsty moved to Leeds."}, "daughter Kirsty, daughter lives_in York"},
		{[]string{"My sister Bea lives in York.", "Bea died of laughter."}, "sister Bea, sister lives_in York"},
		{[]string{"Mi hermana Bea vive en Soria.", "Bea se murió de risa."}, "sister Bea, sister lives_in Soria"},
		{[]string{"My son Leo lives in York.", "We lost Leo at the fair."}, "son Leo, son lives_in York"},
	} {
		t.Run(strings.Join(c.says, " / "), func(t *testing.T) {
			l := newDiary(t)
			for _, text := range c.says {
				l.says(text)
			}
			require.Equal(t, c.want, strings.Join(l.about(), ", "))
		})
	}
}

func TestNameOfAnotherSpeakersPerson(t *testing.T) {
	l := newDiary(t)
	l.says("My daughter Kirsty lives in York.")
	l.says("Kirsty moved to Leeds.", eventbus.Speaker("Hamish"))
	require.Equal(t, []string{"daughter Kirsty", "daughter lives_in York"}, l.about())
	l.says("My daughter Kirsty lives in Bath.", eventbus.Speaker("Hamish"))
	l.says("Kirsty has moved to Derby.", eventbus.Speaker("Hamish"))
	require.Contains(t, l.about(), "daughter lives_in York")
	require.Contains(t, l.about(), "daughter lives_in Derby")
	require.NotContains(t, l.about(), "daughter lives_in Bath")
}

func TestForgottenNameStandsForNobody(t *testing.T) {
	l := newDiary(t)
	l.says("My daughter is called Kirsty.")
	l.says("My daughter lives in York.")
	l.says("Forget that my daughter is called Kirsty.")
	l.says("Kirsty moved to Leeds.")
	require.Equal(t, []string{"daughter lives_in York"}, l.about())
}

func TestNamesOfOneBatch(t *testing.T) {
	l := newDiary(t)
	for _, text := range []string{"My daughter Kirsty lives in York.", "lovely weather", "Kirsty moved to Leeds."} {
		require.NoError(t, l.x.Bus().Publish(t.Context(), eventbus.UserMessage(dora, text)))
	}
	require.NoError(t, l.x.WaitIdle(t.Context()))
	require.Equal(t, []string{"daughter Kirsty", "daughter lives_in Leeds"}, l.about())
}

func TestUndoneClaimOfANameStaysUndone(t *testing.T) {
	l := newDiary(t)
	l.says("My daughter Kirsty lives in York.")
	l.says("Kirsty moved to Leeds.")
	runs := l.runs("said")
	_, err := l.x.Undo(t.Context(), dora, runs[0].UID)
	require.NoError(t, err)
	require.Equal(t, []string{"daughter Kirsty", "daughter lives_in York"}, l.about())
}
