package eventbus

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/ebbmem/ebb/schema"
)

func TestLabelsAreCleaned(t *testing.T) {
	e := UserMessage(Scope{User: "u"}, "x",
		Attribute("location", " Lisbon \x00"), Attribute("empty", " "), Tags("a", " a", ""), Tags("b"), Importance(7.5)).
		Stamped(map[string]string{"location": "elsewhere", "cycle": "12"})
	require.NoError(t, normalise(t.Context(), &e, nil))
	m, err := e.Message()
	require.NoError(t, err)
	require.Equal(t, map[string]string{"location": "Lisbon", "cycle": "12"}, m.Attributes, "what the message says itself stays")
	require.Equal(t, []string{"a", "b"}, m.Tags)
	require.InDelta(t, 7.5, m.Importance, 0)

	plain := UserMessage(Scope{User: "u"}, "x")
	require.NoError(t, normalise(t.Context(), &plain, nil))
	require.JSONEq(t, `{"text":"x","role":"user"}`, string(plain.Payload), "without labels a message is what it was")
}

func TestInvalidLabels(t *testing.T) {
	long := strings.Repeat("x", schema.MaxLabel+1)
	var many, tags []MessageOption
	for i := range max(schema.MaxAttributes, schema.MaxTags) + 1 {
		many = append(many, Attribute(fmt.Sprintf("a%d", i), "x"))
		tags = append(tags, Tags(fmt.Sprint(i)))
	}
	for name, c := range map[string]struct {
		field string
		opts  []MessageOption
	}{
		"capital name":     {"attributes", []MessageOption{Attribute("Location", "x")}},
		"no name":          {"attributes", []MessageOption{Attribute("", "x")}},
		"digit first":      {"attributes", []MessageOption{Attribute("1a", "x")}},
		"long name":        {"attributes", []MessageOption{Attribute(strings.Repeat("a", schema.MaxAttributeName+1), "x")}},
		"too many":         {"attributes", many},
		"ebb's own":        {"attributes." + schema.AttrReleased, []MessageOption{Attribute(schema.AttrReleased, "x")}},
		"long value":       {"attributes.a", []MessageOption{Attribute("a", long)}},
		"two lines":        {"attributes.a", []MessageOption{Attribute("a", "x\ny")}},
		"long tag":         {"tags", []MessageOption{Tags(long)}},
		"tag of two lines": {"tags", []MessageOption{Tags("x\ny")}},
		"too many tags":    {"tags", tags},
		"below the scale":  {"importance", []MessageOption{Importance(0.5)}},
		"above the scale":  {"importance", []MessageOption{Importance(10.5)}},
		"no number":        {"importance", []MessageOption{Importance(math.NaN())}},
		"infinite":         {"importance", []MessageOption{Importance(math.Inf(1))}},
	} {
		t.Run(name, func(t *testing.T) {
			e := UserMessage(Scope{User: "u"}, "x", c.opts...)
			var invalid *schema.InvalidError
			require.ErrorAs(t, normalise(t.Context(), &e, nil), &invalid)
			require.Equal(t, c.field, invalid.Field)
		})
	}
}

func TestLabelsAreRedacted(t *testing.T) {
	rewrite := func(_ context.Context, name, value string) (string, error) {
		if name == "code" {
			return "[hidden]", nil
		}
		return strings.ReplaceAll(value, "secret", "[secret]"), nil
	}
	e := UserMessage(Scope{User: "u"}, "x", Attribute("code", "1234"), Attribute("place", "secret bay"), Tags("secret"))
	require.NoError(t, normalise(t.Context(), &e, rewrite))
	require.JSONEq(t, `{"text":"x","role":"user","attributes":{"code":"[hidden]","place":"[secret] bay"},"tags":["[secret]"]}`, string(e.Payload))

	named := UserMessage(Scope{User: "u"}, "x", Attribute("secret", "1234"))
	var invalid *schema.InvalidError
	require.ErrorAs(t, normalise(t.Context(), &named, rewrite), &invalid)
	require.Equal(t, "attributes", invalid.Field)
}
