package emotion

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestOf(t *testing.T) {
	for text, want := range map[string]Feeling{
		"The tram stops here.":            {0, 0, ""},
		"":                                {0, 0, ""},
		"I am happy":                      {1, 0.1, Joy},
		"I am not happy":                  {-1, 0.1, ""},
		"I am so happy and grateful!":     {1, 0.35, Joy},
		"I hate this, it is unacceptable": {-1, 0.2, Anger},
		"I'm scared and worried":          {-1, 0.2, Fear},
		"She died, and I cried.":          {-1, 0.2, Sadness},
		"Wow, that was unexpected":        {0, 0.2, Surprise},
		"The soup was disgusting":         {-1, 0.1, Disgust},
		"I love it but I am worried":      {0, 0.2, Joy},
		"URGENT: THE SERVER IS DOWN!!!":   {0, 0.3 + 0.45 + 0.3, ""},
		"damn":                            {-1, 0.2, ""},
		"Çok mutluyum":                    {1, 0.1, Joy},
		"Mutlu değilim":                   {-1, 0.1, ""},
		"Çok korktum, çok üzüldüm":        {-1, 0.2, Fear},
		"Acil! Sunucuda hata var!":        {0, 0.6 + 0.3, ""},
		"Bu iğrenç":                       {-1, 0.1, Disgust},
		"NASA":                            {0, 0, ""}, // one word of capitals is no shout
		"!!!!!!!!!!":                      {0, 0.45, ""},
		"security error, deadline, crash, help, urgent": {0, 0.6, ""},
	} {
		got := Of(text)
		require.InDelta(t, want.Valence, got.Valence, 1e-12, text)
		require.InDelta(t, min(1, want.Arousal), got.Arousal, 1e-12, text)
		require.Equal(t, want.Emotion, got.Emotion, text)
	}
}

func FuzzOf(f *testing.F) {
	for _, s := range []string{"I am NOT happy!!", "ÇOK MUTLUYUM", "\xff\xfe", strings.Repeat("damn! ", 50), "ẞİ"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		f := Of(s)
		require.False(t, math.IsNaN(f.Valence) || math.IsNaN(f.Arousal))
		require.True(t, f.Valence >= -1 && f.Valence <= 1 && f.Arousal >= 0 && f.Arousal <= 1)
		require.Equal(t, f, Of(s))
	})
}
