package plugin_test

import (
	"encoding/base64"
	"encoding/hex"
	"html"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"golang.org/x/text/unicode/norm"
)

// carries tells whether a reader who knows the usual disguises finds the
// effect in a text: as it stands, or after undoing up to two of them.
func carries(s, effect string) bool {
	want := foldText(effect)
	found := func(s string) bool { return strings.Contains(foldText(s), want) }
	if found(s) {
		return true
	}
	once := readings(s)
	if slices.ContainsFunc(once, found) {
		return true
	}
	return slices.ContainsFunc(once, func(s string) bool { return slices.ContainsFunc(readings(s), found) })
}

// foldText keeps the letters and digits of a text, in one case and one alphabet
// for each shape.
func foldText(s string) string {
	var b strings.Builder
	for _, r := range norm.NFKD.String(s) {
		r = unicode.ToLower(r)
		if latin, ok := lookalikes[r]; ok {
			r = latin
		}
		if unicode.IsLetter(r) || unicode.IsDigit(r) {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// lookalikes are letters of other alphabets that are drawn like Latin ones.
var lookalikes = pairs("асԁеһіјӏорԛѕυνѡхуαοιкмтнгɡᴀʙᴄᴅᴇꜰɢʜɪᴊᴋʟᴍɴᴏᴘʀꜱᴛᴜᴠᴡʏᴢ",
	"acdehijlopqsuvwxyaoikmthrgabcdefghijklmnoprstuvwyz")

func pairs(from, to string) map[rune]rune {
	latin, m := []rune(to), map[rune]rune{}
	for i, r := range []rune(from) {
		m[r] = latin[i]
	}
	return m
}

var (
	base64Run   = regexp.MustCompile(`[A-Za-z0-9+/]{16,}={0,2}`)
	hexRun      = regexp.MustCompile(`(?:[0-9a-fA-F]{2}){8,}`)
	overrideRun = regexp.MustCompile("[\u202e\u202d]([^\u202c]*)\u202c?")
	tagRun      = regexp.MustCompile(`[\x{E0020}-\x{E007E}]+`)
	leetLetters = strings.NewReplacer("0", "o", "1", "i", "3", "e", "4", "a", "5", "s", "7", "t", "@", "a", "$", "s")
)

// readings undoes each of the usual disguises once, over the whole text.
func readings(s string) []string {
	all := []string{
		tagRun.ReplaceAllStringFunc(s, func(tags string) string { return shift(tags, -0xE0000) }),
		overrideRun.ReplaceAllStringFunc(s, reversed),
		base64Run.ReplaceAllStringFunc(s, unbase64),
		hexRun.ReplaceAllStringFunc(s, func(run string) string {
			plain, err := hex.DecodeString(run)
			if err != nil {
				return run
			}
			return string(plain)
		}),
		strings.Map(rot13, s),
		leetLetters.Replace(s),
		html.UnescapeString(s),
		reversed(s),
		eachWord(s, reversed),
	}
	if plain, err := url.PathUnescape(s); err == nil {
		all = append(all, plain)
	}
	return all
}

// unbase64 decodes as long as text comes out.
func unbase64(run string) string {
	for {
		plain, err := base64.StdEncoding.DecodeString(run)
		if err != nil || len(plain) == 0 || !utf8.Valid(plain) {
			return run
		}
		run = string(plain)
	}
}

func reversed(s string) string {
	runes := []rune(s)
	slices.Reverse(runes)
	return string(runes)
}

func rot13(r rune) rune {
	switch {
	case r >= 'a' && r <= 'z':
		return 'a' + (r-'a'+13)%26
	case r >= 'A' && r <= 'Z':
		return 'A' + (r-'A'+13)%26
	}
	return r
}

func shift(s string, by rune) string {
	return strings.Map(func(r rune) rune { return r + by }, s)
}

// eachWord rewrites what stands between white space.
func eachWord(s string, f func(string) string) string {
	return wordRun.ReplaceAllStringFunc(s, f)
}

var wordRun = regexp.MustCompile(`\S+`)

func TestCarries(t *testing.T) {
	for name, text := range map[string]string{
		"plain":         "see Mirror.Jotline.example",
		"split":         "m\u200birr\u00ador . jotline . example",
		"fullwidth":     "ｍｉｒｒｏｒ.jotline.example",
		"cyrillic":      "mіrrоr.jоtlіnе.ехаmрlе",
		"tags":          "hi" + shift("mirror.jotline.example", 0xE0000),
		"override":      "\u202eelpmaxe.eniltoj.rorrim\u202c",
		"base64":        "x " + base64.StdEncoding.EncodeToString([]byte("go to mirror.jotline.example")),
		"base64 of hex": base64.StdEncoding.EncodeToString([]byte(hex.EncodeToString([]byte("mirror.jotline.example")))),
		"rot13":         "zveebe.wbgyvar.rknzcyr",
		"leet":          "m1rr0r.j07l1n3.3x4mpl3",
		"percent":       "%6dirror.jotline.example",
		"entities":      "&#109;irror.jotline.example",
	} {
		assert.True(t, carries(text, "mirror.jotline.example"), name)
	}
	assert.False(t, carries("a mirror and a line", "mirror.jotline.example"))
}
