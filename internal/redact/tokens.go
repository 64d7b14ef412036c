package redact

import (
	"slices"
	"strings"
)

// alphabet is a set of bytes.
type alphabet [256]bool

func alphabetOf(chars string) (a alphabet) {
	for i := 0; i < len(chars); i++ {
		if i+2 < len(chars) && chars[i+1] == '-' {
			for c := int(chars[i]); c <= int(chars[i+2]); c++ {
				a[c] = true
			}
			i += 2
			continue
		}
		a[chars[i]] = true
	}
	return a
}

var (
	alnum   = alphabetOf("A-Za-z0-9")
	word    = alphabetOf("A-Za-z0-9_")
	urlSafe = alphabetOf("A-Za-z0-9_-")
	dotted  = alphabetOf("A-Za-z0-9_.-")
	base64s = alphabetOf("A-Za-z0-9+/=_-")
	hexes   = alphabetOf("a-fA-F0-9")
	uppers  = alphabetOf("A-Z0-9")
)

// token is a kind of secret that begins with a prefix of its own.
type token struct {
	name     string
	prefixes []string // case-sensitive
	of       *alphabet
	min, max int // bytes after the prefix; max 0: no bound
}

// tokens are the published shapes. A placeholder names the provider. Longer
// prefixes come before the shorter ones that they begin with.
var tokens = []token{
	{"anthropic-key", []string{"sk-ant-api03-", "sk-ant-api04-", "sk-ant-admin01-", "sk-ant-oat01-", "sk-ant-ort01-", "sk-ant-sid01-", "sk-ant-sid02-"}, &urlSafe, 20, 0},
	{"openrouter-key", []string{"sk-or-v1-"}, &hexes, 40, 0},
	{"openai-key", []string{"sk-proj-", "sk-svcacct-", "sk-admin-", "sk-None-"}, &urlSafe, 20, 0},
	{"api-key", []string{"sk-", "pk-lf-", "sk-lf-"}, &alnum, 24, 0}, // OpenAI's older keys, and others of that form
	{"groq-key", []string{"gsk_"}, &alnum, 40, 0},
	{"xai-key", []string{"xai-"}, &alnum, 60, 0},
	{"perplexity-key", []string{"pplx-"}, &alnum, 40, 0},
	{"huggingface-token", []string{"hf_", "api_org_"}, &alnum, 30, 0},
	{"replicate-token", []string{"r8_"}, &alnum, 36, 0},
	{"google-api-key", []string{"AIza"}, &urlSafe, 35, 0},
	{"google-oauth-secret", []string{"GOCSPX-"}, &urlSafe, 20, 0},
	{"google-oauth-token", []string{"ya29."}, &urlSafe, 20, 0},
	{"google-refresh-token", []string{"1//0"}, &urlSafe, 30, 0},
	{"github-token", []string{"ghp_", "gho_", "ghu_", "ghs_", "ghr_"}, &alnum, 30, 0},
	{"github-token", []string{"github_pat_"}, &word, 50, 0},
	{"gitlab-token", []string{"glpat-", "glptt-", "gldt-", "glrt-", "glcbt-", "glft-", "glsoat-", "gloas-", "glagent-", "glimt-", "glffct-", "GR1348941"}, &dotted, 20, 0},
	{"slack-token", []string{"xoxb-", "xoxa-", "xoxp-", "xoxe-", "xoxe.xoxp-", "xoxe.xoxb-", "xoxr-", "xoxo-", "xoxs-", "xoxc-", "xoxd-", "xapp-"}, &urlSafe, 15, 0},
	{"slack-webhook", []string{"hooks.slack.com/services/", "hooks.slack.com/workflows/", "hooks.slack.com/triggers/"}, &base64s, 30, 0},
	{"discord-webhook", []string{"discord.com/api/webhooks/", "discordapp.com/api/webhooks/"}, &base64s, 40, 0},
	{"stripe-key", []string{"sk_live_", "sk_test_", "sk_prod_", "rk_live_", "rk_test_", "rk_prod_"}, &alnum, 10, 0},
	{"stripe-webhook-secret", []string{"whsec_"}, &base64s, 24, 0},
	{"aws-access-key", []string{"AKIA", "ASIA", "ABIA", "ACCA"}, &uppers, 16, 16},
	{"aws-bedrock-key", []string{"ABSK"}, &base64s, 100, 0},
	{"alibaba-access-key", []string{"LTAI"}, &alnum, 17, 26},
	{"digitalocean-token", []string{"dop_v1_", "doo_v1_", "dor_v1_"}, &hexes, 60, 0},
	{"heroku-key", []string{"HRKU-"}, &urlSafe, 30, 0},
	{"npm-token", []string{"npm_"}, &alnum, 36, 0},
	{"pypi-token", []string{"pypi-AgEIcHlwaS5vcmc", "pypi-AgENdGVzdC5weXBp"}, &urlSafe, 50, 0},
	{"docker-token", []string{"dckr_pat_", "dckr_oat_"}, &urlSafe, 20, 0},
	{"rubygems-key", []string{"rubygems_"}, &hexes, 48, 0},
	{"vault-token", []string{"hvs.", "hvb.", "hvr."}, &urlSafe, 24, 0},
	{"databricks-token", []string{"dapi"}, &hexes, 32, 0},
	{"sendgrid-key", []string{"SG."}, &dotted, 50, 0},
	{"brevo-key", []string{"xkeysib-", "xsmtpsib-"}, &urlSafe, 40, 0},
	{"mailgun-key", []string{"key-"}, &hexes, 32, 32},
	{"twilio-key", []string{"SK"}, &hexes, 32, 32},
	{"shopify-token", []string{"shpat_", "shpca_", "shppa_", "shpss_"}, &hexes, 32, 0},
	{"square-token", []string{"EAAA", "sq0atp-", "sq0csp-"}, &urlSafe, 22, 0},
	{"linear-key", []string{"lin_api_", "lin_oauth_"}, &alnum, 32, 0},
	{"notion-token", []string{"ntn_", "secret_"}, &alnum, 40, 0},
	{"postman-key", []string{"PMAK-"}, &urlSafe, 50, 0},
	{"newrelic-key", []string{"NRAK-", "NRJS-", "NRAL-"}, &alnum, 20, 0},
	{"sentry-token", []string{"sntrys_", "sntryu_"}, &base64s, 40, 0},
	{"grafana-token", []string{"glsa_", "glc_"}, &base64s, 32, 0},
	{"atlassian-token", []string{"ATATT3", "ATCTT3", "ATBB"}, &base64s, 24, 0},
	{"doppler-token", []string{"dp.pt.", "dp.st.", "dp.ct.", "dp.sa."}, &dotted, 40, 0},
	{"planetscale-token", []string{"pscale_tkn_", "pscale_oauth_", "pscale_pw_"}, &dotted, 32, 0},
	{"supabase-token", []string{"sbp_", "sb_secret_"}, &urlSafe, 24, 0},
	{"fly-token", []string{"fo1_", "fm1a_", "fm1r_", "fm2_"}, &base64s, 40, 0},
	{"pulumi-token", []string{"pul-"}, &hexes, 40, 40},
	{"terraform-token", []string{".atlasv1."}, &base64s, 60, 0},
	{"1password-token", []string{"ops_eyJ"}, &base64s, 100, 0},
	{"age-key", []string{"AGE-SECRET-KEY-1", "AGE-SECRET-KEY-PQ-1", "AGE-PLUGIN-"}, &uppers, 40, 0},
	{"discord-token", []string{"mfa."}, &urlSafe, 80, 0},
	{"cloudflare-key", []string{"v1.0-"}, &urlSafe, 150, 0},
	{"langsmith-key", []string{"lsv2_pt_", "lsv2_sk_"}, &word, 30, 0},
	{"tavily-key", []string{"tvly-"}, &urlSafe, 24, 0},
	{"figma-token", []string{"figd_"}, &urlSafe, 38, 0},
	{"dropbox-token", []string{"sl.u.", "sl.B"}, &urlSafe, 60, 0},
	{"cohere-key", []string{"co_live_"}, &alnum, 24, 0},
}

func tokenRules() []rule {
	rules := make([]rule, len(tokens))
	for i, t := range tokens {
		keys := make([]string, len(t.prefixes))
		for j, p := range t.prefixes {
			keys[j] = strings.ToLower(p)
		}
		rules[i] = rule{t.name, keys, t.find}
	}
	return rules
}

func (t *token) find(s string, at, end int) (from, to int, ok bool) {
	if !t.begins(s[at:end]) || !startsWord(s, at) {
		return 0, 0, false
	}
	if t.max > 0 {
		s = s[:min(len(s), end+t.max+1)]
	}
	to, ok = generated(s, end, t.min, t.of)
	if !ok || t.max > 0 && to-end > t.max {
		return 0, 0, false
	}
	if t.name == "terraform-token" { // the key is in the middle
		for at > 0 && alnum[s[at-1]] {
			at--
		}
	}
	return at, to, true
}

// begins reports whether the text at a key has the prefix in its case, so that an
// ordinary word with the letters of a prefix does not match.
func (t *token) begins(written string) bool { return slices.Contains(t.prefixes, written) }

// startsWord reports whether no letter or digit precedes at, except the end of an
// escape such as \n or %3D.
func startsWord(s string, at int) bool {
	if at == 0 || !alnum[s[at-1]] {
		return true
	}
	if s[at] == '.' { // a token found by its middle
		return true
	}
	if at >= 2 && s[at-2] == '\\' && strings.IndexByte("nrt", s[at-1]) >= 0 {
		return true
	}
	return at >= 3 && s[at-3] == '%' && hexes[s[at-2]] && hexes[s[at-1]]
}

// run returns the end of the bytes of an alphabet from from on.
func run(s string, from int, of *alphabet) int {
	for from < len(s) && of[s[from]] {
		from++
	}
	return from
}

// generated returns the end of the run of an alphabet from from on, without full
// stops and hyphens at its end, if it has at least the given bytes and looks
// generated. The first bytes decide, since a text may repeat a prefix a hundred
// thousand times in one run.
func generated(s string, from, least int, of *alphabet) (to int, ok bool) {
	const decisive = 256
	to = run(s[:min(len(s), from+decisive)], from, of)
	trimmed := strings.TrimRight(s[from:to], ".-")
	if len(trimmed) < least || !random(trimmed) {
		return 0, false
	}
	to = run(s, to, of)
	return from + len(strings.TrimRight(s[from:to], ".-")), true
}

// random distinguishes generated text from words and from samples such as xxxxxxxx
// or YOUR_KEY_HERE.
func random(s string) bool {
	var seen [256]bool
	distinct, digit, upper, lower := 0, false, false, false
	for i := range len(s) {
		c := s[i]
		if !seen[c] {
			seen[c] = true
			distinct++
		}
		digit = digit || c-'0' < 10
		upper = upper || c >= 'A' && c <= 'Z'
		lower = lower || c >= 'a' && c <= 'z'
	}
	if distinct < min(6, len(s)) {
		return false
	}
	return lower && (digit || upper) || digit && upper && !strings.ContainsAny(s, "-_")
}
