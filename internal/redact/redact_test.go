package redact_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/ebbmem/ebb/internal/redact"
)

// drawn is what a machine might draw: letters of both cases and digits.
const drawn = "a8Kd92mQz7Xw4Lp0Rt6Vb3Ny5Hc1Jf8Gs2Du9Ek4Wq7Zi0Xo3Cv6Bn1Mp5Lr8Ty2Hj4Kf9Dg7Sa3Qw0Er6Uv5Ib1Ox8Pz2"

func of(n int) string { return (drawn + drawn)[:n] }

func hex(n int) string { return strings.Repeat("0f9a3c7e51b8d264", 8)[:n] }

func upper(n int) string { return strings.ToUpper(of(n)) }

const jwt = "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U"

const pem = "-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA0Z3VS5JJcds3xfn\nygWyF8PbnGy0AHB7MhgHcTz6sE2I2yPB\n-----END RSA PRIVATE KEY-----"

// secrets are texts with the secret in it and what is left of the text.
var secrets = []struct{ kind, text, left string }{
	{"anthropic-key", "use sk-ant-api03-" + of(93) + "AA for the bot", "use [redacted:anthropic-key] for the bot"},
	{"openrouter-key", "OPENROUTER=sk-or-v1-" + hex(64), "OPENROUTER=[redacted:openrouter-key]"},
	{"openai-key", "key sk-proj-" + of(60) + "_" + of(20) + ".", "key [redacted:openai-key]."},
	{"api-key", "my old key is sk-" + of(48), "my old key is [redacted:api-key]"},
	{"groq-key", "gsk_" + of(52), "[redacted:groq-key]"},
	{"xai-key", "(xai-" + of(80) + ")", "([redacted:xai-key])"},
	{"perplexity-key", "pplx-" + of(48), "[redacted:perplexity-key]"},
	{"huggingface-token", "hf_" + of(34) + " works", "[redacted:huggingface-token] works"},
	{"replicate-token", "r8_" + of(37), "[redacted:replicate-token]"},
	{"google-api-key", "maps?key=AIza" + of(35) + "&q=x", "maps?key=[redacted:google-api-key]&q=x"},
	{"google-oauth-secret", "GOCSPX-" + of(28), "[redacted:google-oauth-secret]"},
	{"google-oauth-token", "ya29." + of(80), "[redacted:google-oauth-token]"},
	{"google-refresh-token", "1//0" + of(60), "[redacted:google-refresh-token]"},
	{"github-token", "I pushed with ghp_" + of(36) + ", sorry", "I pushed with [redacted:github-token], sorry"},
	{"github-token", "github_pat_" + of(22) + "_" + of(59), "[redacted:github-token]"},
	{"github-token", `{"log":"line\nghs_` + of(36) + `"}`, `{"log":"line\n[redacted:github-token]"}`},
	{"github-token", "next=token%3Dghp_" + of(36), "next=token%3D[redacted:github-token]"},
	{"gitlab-token", "glpat-" + of(20), "[redacted:gitlab-token]"},
	{"slack-token", "xoxb-123456789012-1234567890123-" + of(24), "[redacted:slack-token]"},
	{"slack-webhook", "post to https://hooks.slack.com/services/T0" + upper(9) + "/B0" + upper(9) + "/" + of(24), "post to https://[redacted:slack-webhook]"},
	{"discord-webhook", "https://discord.com/api/webhooks/123456789012345678/" + of(68), "https://[redacted:discord-webhook]"},
	{"stripe-key", "charge with sk_live_" + of(24) + " now", "charge with [redacted:stripe-key] now"},
	{"stripe-webhook-secret", "whsec_" + of(32), "[redacted:stripe-webhook-secret]"},
	{"aws-access-key", "AKIA2E3F4G5H6I7J2K3L is the id", "[redacted:aws-access-key] is the id"},
	{"aws-bedrock-key", "ABSK" + of(99) + of(30), "[redacted:aws-bedrock-key]"},
	{"alibaba-access-key", "LTAI" + of(20), "[redacted:alibaba-access-key]"},
	{"digitalocean-token", "dop_v1_" + hex(64), "[redacted:digitalocean-token]"},
	{"heroku-key", "HRKU-" + of(40), "[redacted:heroku-key]"},
	{"npm-token", "//registry/:_authToken=npm_" + of(36), "//registry/:_authToken=[redacted:npm-token]"},
	{"pypi-token", "pypi-AgEIcHlwaS5vcmc" + of(80), "[redacted:pypi-token]"},
	{"docker-token", "dckr_pat_" + of(27), "[redacted:docker-token]"},
	{"rubygems-key", "rubygems_" + hex(48), "[redacted:rubygems-key]"},
	{"vault-token", "hvs." + of(90), "[redacted:vault-token]"},
	{"databricks-token", "dapi" + hex(32), "[redacted:databricks-token]"},
	{"sendgrid-key", "SG." + of(22) + "." + of(43), "[redacted:sendgrid-key]"},
	{"brevo-key", "xkeysib-" + hex(64) + "-" + of(16), "[redacted:brevo-key]"},
	{"mailgun-key", "api:key-" + hex(32), "api:[redacted:mailgun-key]"},
	{"mailchimp-key", "mailchimp " + hex(32) + "-us21 here", "mailchimp [redacted:mailchimp-key] here"},
	{"twilio-key", "SK" + hex(32), "[redacted:twilio-key]"},
	{"shopify-token", "shpat_" + hex(32), "[redacted:shopify-token]"},
	{"square-token", "sq0atp-" + of(22), "[redacted:square-token]"},
	{"linear-key", "lin_api_" + of(40), "[redacted:linear-key]"},
	{"notion-token", "ntn_" + of(46), "[redacted:notion-token]"},
	{"postman-key", "PMAK-" + hex(24) + "-" + hex(34), "[redacted:postman-key]"},
	{"newrelic-key", "NRAK-" + upper(27), "[redacted:newrelic-key]"},
	{"sentry-token", "sntryu_" + hex(64), "[redacted:sentry-token]"},
	{"grafana-token", "glsa_" + of(32) + "_" + hex(8), "[redacted:grafana-token]"},
	{"atlassian-token", "ATATT3" + of(90) + of(90), "[redacted:atlassian-token]"},
	{"doppler-token", "dp.pt." + of(43), "[redacted:doppler-token]"},
	{"planetscale-token", "pscale_pw_" + of(43), "[redacted:planetscale-token]"},
	{"supabase-token", "sbp_" + hex(40), "[redacted:supabase-token]"},
	{"fly-token", "fo1_" + of(43), "[redacted:fly-token]"},
	{"pulumi-token", "pul-" + hex(40), "[redacted:pulumi-token]"},
	{"terraform-token", "TF=" + of(14) + ".atlasv1." + of(64), "TF=[redacted:terraform-token]"},
	{"1password-token", "ops_eyJ" + of(90) + of(90), "[redacted:1password-token]"},
	{"age-key", "AGE-SECRET-KEY-1" + upper(58), "[redacted:age-key]"},
	{"cloudflare-key", "v1.0-" + hex(24) + "-" + hex(128) + hex(18), "[redacted:cloudflare-key]"},
	{"langsmith-key", "lsv2_pt_" + hex(32) + "_" + hex(10), "[redacted:langsmith-key]"},
	{"tavily-key", "tvly-" + of(32), "[redacted:tavily-key]"},
	{"figma-token", "figd_" + of(40), "[redacted:figma-token]"},
	{"dropbox-token", "sl.u." + of(90), "[redacted:dropbox-token]"},
	{"cohere-key", "co_live_" + of(40), "[redacted:cohere-key]"},

	{"private-key", "here:\n" + pem + "\nthanks", "here:\n[redacted:private-key]\nthanks"},
	{"private-key", strings.ReplaceAll("k='"+pem+"'", "\n", `\n`), "k='[redacted:private-key]'"},
	{"private-key", "-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQ\nAAAA", "[redacted:private-key]"},
	{"private-key", "-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nlQOYBF8=\n-----END PGP PRIVATE KEY BLOCK-----", "[redacted:private-key]"},
	{"jwt", "the session " + jwt + ".", "the session [redacted:jwt]."},
	{"azure-secret", "client secret value abC8Q~" + of(34), "client secret value [redacted:azure-secret]"},
	{"telegram-token", "bot 1234567890:AA" + of(33) + " runs", "bot [redacted:telegram-token] runs"},
	{"authorization", "curl -H 'Authorization: Bearer " + of(30) + "'", "curl -H 'Authorization: Bearer [redacted:authorization]'"},
	{"authorization", "Authorization: Basic YWRhOmh1bnRlcjI=", "Authorization: Basic [redacted:authorization]"},
	{"url-password", "postgres://ada:s3cr3t-pw@db.local:5432/app?sslmode=disable", "postgres://ada:[redacted:url-password]@db.local:5432/app?sslmode=disable"},
	{"url-password", "redis://:hunter2@cache:6379/0 is down", "redis://:[redacted:url-password]@cache:6379/0 is down"},
	{"url-password", "amqp://svc:pa/ss@mq/vhost", "amqp://svc:[redacted:url-password]@mq/vhost"},
	{"url-password", "git clone https://" + of(30) + "@git.example/x.git", "git clone https://[redacted:url-password]@git.example/x.git"},
	{"url-signature", "https://blob.example/f?se=2026&sig=" + of(40) + "%3D", "https://blob.example/f?se=2026&sig=[redacted:url-signature]"},
	{"url-signature", "https://s3.example/f?X-Amz-Signature=" + hex(64), "https://s3.example/f?X-Amz-Signature=[redacted:url-signature]"},

	{"password", "password: hunter2", "password: [redacted:password]"},
	{"password", "my password is hunter2!", "my password is [redacted:password]!"},
	{"password", "the password is swordfish.", "the password is [redacted:password]."},
	{"password", "Mein Passwort ist Sommer2026 und läuft bald ab", "Mein Passwort ist [redacted:password] und läuft bald ab"},
	{"password", "Das WLAN-Kennwort lautet „blaue Katze“.", "Das WLAN-Kennwort lautet „[redacted:password]“."},
	{"password", "the password for our guest wifi is Tulip-4471, ok?", "the password for our guest wifi is [redacted:password], ok?"},
	{"password", "le mot de passe est Tr0ub4dor", "le mot de passe est [redacted:password]"},
	{"password", "mi contraseña es gato1234", "mi contraseña es [redacted:password]"},
	{"password", "мой пароль: кот2026", "мой пароль: [redacted:password]"},
	{"password", "我的密码是abc12345，别告诉别人", "我的密码是[redacted:password]，别告诉别人"},
	{"password", "DB_PASSWORD=Zx9$kk2 make run", "DB_PASSWORD=[redacted:password] make run"},
	{"password", `{"user":"ada","password":"correct horse battery"}`, `{"user":"ada","password":"[redacted:password]"}`},
	{"password", `"{\"password\": \"x9!aaQ\"}"`, `"{\"password\": \"[redacted:password]\"}"`},
	{"password", "Server=db;User Id=sa;Password=Pa55;Encrypt=true", "Server=db;User Id=sa;Password=[redacted:password];Encrypt=true"},
	{"password", "mysql --user=ada --password hunter22 db", "mysql --user=ada --password [redacted:password] db"},
	{"password", "login?user=ada&password=abcdef1&x=1", "login?user=ada&password=[redacted:password]&x=1"},
	{"password", "user=ada pass=hunter2", "user=ada pass=[redacted:password]"},
	{"api-key", "api_key = 'a1b2c3d4e5f6'", "api_key = '[redacted:api-key]'"},
	{"api-key", "AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzzz9KEY", "AWS_SECRET_ACCESS_KEY=[redacted:api-key]"},
	{"api-key", "AccountName=x;AccountKey=" + of(80) + "==;EndpointSuffix=y", "AccountName=x;AccountKey=[redacted:api-key];EndpointSuffix=y"},
	{"secret", "client_secret: 8f14e45fceea167a", "client_secret: [redacted:secret]"},
	{"token", "my token is 9c1185a5c5e9fc54 by the way", "my token is [redacted:token] by the way"},
	{"token", "?access_token=" + of(24) + "&page=2", "?access_token=[redacted:token]&page=2"},
	{"pin", "my PIN is 4821.", "my PIN is [redacted:pin]."},
	{"pin", "PIN code: 4821", "PIN code: [redacted:pin]"},
	{"pin", "the pin for my card is 4821", "the pin for my card is [redacted:pin]"},
	{"pin", "The PIN of the bank card is 4821, ok?", "The PIN of the bank card is [redacted:pin], ok?"},
	{"pin", "die PIN für meine Karte lautet 4821", "die PIN für meine Karte lautet [redacted:pin]"},
	{"pin", "el pin de mi tarjeta es 4821", "el pin de mi tarjeta es [redacted:pin]"},
	{"pin", "use PIN 4821 at the door", "use PIN [redacted:pin] at the door"},
	{"card-code", "exp 12/29 CVV 123? no, cvv: 124", "exp 12/29 CVV [redacted:card-code]? no, cvv: [redacted:card-code]"},
	{"card-code", "the security code of my card is 123", "the security code of my card is [redacted:card-code]"},
	{"password", "name: password, value: hunter2xyz", "name: password, value: [redacted:password]"},
	{"password", `env: [{"name": "DB_PASSWORD", "value": "hunter2"}]`, `env: [{"name": "DB_PASSWORD", "value": "[redacted:password]"}]`},
	{"password", "- name: DB_PASSWORD\n  value: hunter2\n- name: HOST\n  value: db", "- name: DB_PASSWORD\n  value: [redacted:password]\n- name: HOST\n  value: db"},

	{"discord-token", "DISCORD=MTIzNDU2Nzg5MDEyMzQ1Njc4.GaBcDe." + of(38) + " ok", "DISCORD=[redacted:discord-token] ok"},
	{"discord-token", "login('" + discord + "')", "login('[redacted:discord-token]')"},
	{"discord-token", "mfa." + of(84), "[redacted:discord-token]"},
	{"notion-token", "Notion: secret_" + of(43) + "!", "Notion: [redacted:notion-token]!"},
	{"age-key", "# age\nAGE-SECRET-KEY-1QYQSZQGPQYQSZQGPQYQSZQGPQYQSZQGPQYQSZQGPQYQSZQGPQ3LDH5\n", "# age\n[redacted:age-key]\n"},
	{"authorization", "curl -u ada:hunter2 https://api.example/v1", "curl -u ada:[redacted:authorization] https://api.example/v1"},
	{"authorization", "curl -s --user 'ada:correct horse' https://x", "curl -s --user 'ada:[redacted:authorization]' https://x"},
	{"authorization", "curl https://x \\\n  -u \"ada:hun-ter2\"", "curl https://x \\\n  -u \"ada:[redacted:authorization]\""},
	{"authorization", "curl -X POST -u " + of(32) + ": https://x", "curl -X POST -u [redacted:authorization]: https://x"},
	{"authorization", "curl -uada:hunter2 https://x", "curl -uada:[redacted:authorization] https://x"},
	{"authorization", `{"auths": {"https://index.docker.io/v1/": {"auth": "YWRhOmh1bnRlcjI="}}}`, `{"auths": {"https://index.docker.io/v1/": {"auth": "[redacted:authorization]"}}}`},
	{"authorization", "//registry.example/:_auth=YWRhOmh1bnRlcjI=", "//registry.example/:_auth=[redacted:authorization]"},
	{"session-cookie", "Cookie: theme=dark; sessionid=" + of(32) + "; lang=de", "Cookie: theme=dark; sessionid=[redacted:session-cookie]; lang=de"},
	{"session-cookie", "Set-Cookie: __Host-session=" + hex(40) + "; Path=/; HttpOnly", "Set-Cookie: __Host-session=[redacted:session-cookie]; Path=/; HttpOnly"},
	{"session-cookie", "cookie: connect.sid=s%3A" + of(32) + "." + of(43) + "; sid=" + of(26), "cookie: connect.sid=[redacted:session-cookie]; sid=[redacted:session-cookie]"},
	{"session-cookie", "JSESSIONID=1A530637289A03B07199A44E8D531427", "JSESSIONID=[redacted:session-cookie]"},
	{"session-cookie", "cookie wordpress_logged_in_" + hex(32) + "=ada%7C" + of(43), "cookie wordpress_logged_in_" + hex(32) + "=[redacted:session-cookie]"},
	{"private-key", "the private key 0x" + hex(64) + ", keep it", "the private key [redacted:private-key], keep it"},
	{"private-key", "Private key of my wallet: " + hex(64), "Private key of my wallet: [redacted:private-key]"},
	{"private-key", "mein privater Schlüssel lautet 0x" + hex(64) + ".", "mein privater Schlüssel lautet [redacted:private-key]."},
	{"private-key", "0x" + hex(64) + " is the private key", "[redacted:private-key] is the private key"},
	{"private-key", "私钥是0x" + hex(64), "私钥是[redacted:private-key]"},
	{"github-token", "state=ghp%5F" + of(36) + "%20x", "state=[redacted:github-token]%20x"},
	{"anthropic-key", "q=sk%2Dant%2Dapi03%2D" + of(93), "q=[redacted:anthropic-key]"},
	{"openai-key", "k%3Dsk%2dproj%2D" + of(60) + "%26y", "k%3D[redacted:openai-key]%26y"},
	{"password", "next=%2Flogin%3Fpassword%3Dhunter2%26x%3D1", "next=%2Flogin%3Fpassword%3D[redacted:password]%26x%3D1"},
	{"url-password", "url=https%3A%2F%2Fada%3As3cr3t-pw%40x.example%2F", "url=https%3A%2F%2Fada%3A[redacted:url-password]%40x.example%2F"},
	{"seed-phrase", "my seed phrase is " + seed12 + ".", "my seed phrase is [redacted:seed-phrase]."},
	{"seed-phrase", strings.Repeat("abandon ", 11) + "about", "[redacted:seed-phrase]"},
	{"seed-phrase", seed24, "[redacted:seed-phrase]"},
	{"seed-phrase", "1. " + numbered(seed12) + "\nkeep it safe", "1. [redacted:seed-phrase]\nkeep it safe"},
	{"seed-phrase", `["` + strings.ReplaceAll(seed12, " ", `", "`) + `"]`, `["[redacted:seed-phrase]"]`},
	{"seed-phrase", strings.ToUpper(seed12) + ", twice: " + seed12, "[redacted:seed-phrase], twice: [redacted:seed-phrase]"},
	{"seed-phrase", "wallet\n" + strings.ReplaceAll(seed24, " ", "\n") + "\nbye", "wallet\n[redacted:seed-phrase]\nbye"},

	{"payment-card", "my card 4111 1111 1111 1111, exp 12/29", "my card [redacted:payment-card], exp 12/29"},
	{"payment-card", "4111111111111111", "[redacted:payment-card]"},
	{"payment-card", "amex 3782-822463-10005", "amex [redacted:payment-card]"},
	{"payment-card", "5555 5555 5555 4444 12 26", "[redacted:payment-card] 12 26"},
	{"payment-card", "call 030 123 then 6011-1111-1111-1117", "call 030 123 then [redacted:payment-card]"},
	{"payment-card", "4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1", "[redacted:payment-card]"},
	{"payment-card", "4111 1111\n1111 1111", "[redacted:payment-card]"},
	{"payment-card", "３５３０１１１３３３３０００００", "[redacted:payment-card]"},
	{"payment-card", "４１１１　１１１１　１１１１　１１１１です", "[redacted:payment-card]です"},
	{"payment-card", "４１１１ー１１１１ー１１１１ー１１１１", "[redacted:payment-card]"},
	{"payment-card", "4111–1111–1111–1111", "[redacted:payment-card]"},
	{"payment-card", "4111 – 1111 – 1111 – 1111", "[redacted:payment-card]"},
	{"payment-card", "4111−1111—1111\u20091111", "[redacted:payment-card]"},
	{"payment-card", "4111.1111.1111.1111.", "[redacted:payment-card]."},
	{"payment-card", "4111/1111/1111/1111 exp 12/29", "[redacted:payment-card] exp 12/29"},
	{"payment-card", "3782.822463.10005", "[redacted:payment-card]"},
	{"payment-card", "4111\t1111\t1111\t1111", "[redacted:payment-card]"},
	{"payment-card", "4111 1111\r\n1111 1111", "[redacted:payment-card]"},
	{"payment-card", "4111 1111 11111111", "[redacted:payment-card]"},
	{"payment-card", "pay with VISA4111111111111111", "pay with VISA[redacted:payment-card]"},
	{"payment-card", "رقم البطاقة ٤١١١ ١١١١ ١١١١ ١١١١", "رقم البطاقة [redacted:payment-card]"},
	{"payment-card", "۴۱۱۱۱۱۱۱۱۱۱۱۱۱۱۱", "[redacted:payment-card]"},
	{"payment-card", "12/4111111111111111", "12/[redacted:payment-card]"},
}

// discord is a token as a bot's page shows it.
const discord = "OTk5ODg4Nzc3NjY2NTU1NDQ0.GQ-x_1.aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5zA"

// Phrases of BIP-39's own test vectors.
const (
	seed12 = "letter advice cage absurd amount doctor acoustic avoid letter advice cage above"
	seed24 = "void come effort suffer camp survey warrior heavy shoot primary clutch crush open amazing screen patrol group space point ten exist slush involve unfold"
)

func numbered(phrase string) string {
	words := strings.Fields(phrase)
	for i := 1; i < len(words); i++ {
		words[i] = strconv.Itoa(i+1) + ". " + words[i]
	}
	return strings.Join(words, "\n")
}

// harmless are texts that come close and hold no secret.
var harmless = []struct{ near, text string }{
	{"anthropic-key", "sk-ant-api03-YOUR-KEY-HERE-XXXXXXXXXXXX"},
	{"openrouter-key", "keys begin with sk-or-v1- and then hex"},
	{"openai-key", "sk-proj-my-example-project-folder-name"},
	{"openai-key", "set OPENAI_API_KEY=sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},
	{"api-key", "a risk-averse desk-bound task-runner1 sk-learn"},
	{"api-key", "the API key is in the vault, api_key: <your key>, api_key=${API_KEY}"},
	{"api-key", "api key rotation: every 90 days"},
	{"api-key", "the public key is ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ4"},
	{"groq-key", "gsk_your_key_goes_here_thank_you_very_much"},
	{"xai-key", "xai-explainability"}, {"perplexity-key", "pplx-70b-online"}, {"huggingface-token", "hf_hub_download(repo_id)"},
	{"replicate-token", "r8_"}, {"google-api-key", "AIza is how they start"}, {"google-oauth-secret", "GOCSPX-something"},
	{"google-oauth-token", "ya29.example"}, {"google-refresh-token", "http://x//0abc"},
	{"github-token", "ghp_ tokens, and ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"},
	{"gitlab-token", "glpat-my-example-token-name-x"}, {"slack-token", "xoxb-your-token-here-please"},
	{"slack-webhook", "https://hooks.slack.com/services/ is where they live"}, {"discord-webhook", "https://discord.com/api/webhooks/{id}/{token}"},
	{"stripe-key", "pk_live_" + of(24) + " is publishable; sk_test_..."}, {"stripe-webhook-secret", "whsec_..."},
	{"aws-access-key", "AKIAIOSFODNN is too short, and XAKIA2E3F4G5H6I7J2K3L is inside a word"},
	{"aws-bedrock-key", "ABSKIP"}, {"alibaba-access-key", "LTAI stands for"}, {"digitalocean-token", "dop_v1_abc"}, {"heroku-key", "HRKU-1"},
	{"npm-token", "npm_config_registry=https://registry.example"}, {"pypi-token", "pypi-server"}, {"docker-token", "dckr_pat_example"},
	{"rubygems-key", "rubygems_update"}, {"vault-token", "hvs.example"}, {"databricks-token", "dapinterface"}, {"sendgrid-key", "SG.com"},
	{"brevo-key", "xkeysib-abc"}, {"mailgun-key", "key-value"}, {"mailchimp-key", "made-for-us2"}, {"twilio-key", "SKILLS and SK123"},
	{"shopify-token", "shpat_short"}, {"square-token", "sq0atp-x"}, {"linear-key", "lin_api_key_from_settings_page_of_linear"}, {"notion-token", "ntn_x"},
	{"postman-key", "PMAK-x"}, {"newrelic-key", "NRAK-x"}, {"sentry-token", "sntryu_x"}, {"grafana-token", "glsa_x"}, {"atlassian-token", "ATBBQ"},
	{"doppler-token", "dp.pt.x"}, {"planetscale-token", "pscale_pw_x"}, {"supabase-token", "sbp_x"}, {"fly-token", "fo1_x"}, {"pulumi-token", "pul-up"},
	{"terraform-token", "x.atlasv1.y"}, {"1password-token", "ops_eyJ"}, {"age-key", "AGE-SECRET-KEY-1..."}, {"cloudflare-key", "v1.0-beta"},
	{"langsmith-key", "lsv2_pt_x"}, {"tavily-key", "tvly-x"}, {"figma-token", "figd_x"}, {"dropbox-token", "sl.Blah"}, {"cohere-key", "co_live_x"},

	{"discord-token", "see www.example.com, v1.2.345678.x, MTIz.abcdef." + of(38) + " and 1.234567.8 or e.g. a.b.c"},
	{"discord-token", "discord " + of(24) + ".GaBcDe." + of(38)}, // its number is none
	{"notion-token", "secret_santa, secret_key_of_the_universe_and_everything_else_too"},
	{"age-key", "AGE-SECRET-KEY-1XXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXXX and age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p"},
	{"authorization", "curl -u <user>:<password>, curl -u $USER:$PASS, curl -u ada: https://x, curl -u ada https://x"},
	{"authorization", "docker run -u 1000:1000 image, ps -u ada:staff, sort -u a:b"},
	{"authorization", "auth: required, \"auth\": \"bm90IGEgcGFpcg==\", author: YWRhOmh1bnRlcjI="},
	{"session-cookie", "Cookie: consent=yes; session=closed; sid=12; the session=open at 2026-03-01T18:00:00Z"},
	{"session-cookie", "session=9c1185a5c5e9fc549c1185a5 in a log without the word"},
	{"private-key", "tx 0x" + hex(64) + " of block 7; the private key stays in the vault"},
	{"private-key", "fingerprint of the private key (SHA-256): " + hex(64)},
	{"private-key", "private key 0x0000000000000000000000000000000000000000000000000000000000000001 and 0xabc"},
	{"github-token", "100%25 of ghp%5Fxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx, 5%20%ab"},
	{"seed-phrase", strings.Repeat("word ", 50) + strings.Repeat("private key ", 50)},
	{"seed-phrase", "then about every evening they walk along the river, rice again with lemon and garlic"},
	{"seed-phrase", "letter advice cage absurd amount doctor acoustic avoid letter advice cage abuse"}, // the checksum is wrong
	{"seed-phrase", "letter advice cage absurd amount doctor acoustic avoid letter advice cage"},       // one is missing
	{"seed-phrase", "letter advice cage absurd amount doctor, and then acoustic avoid letter advice cage above"},

	{"private-key", "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE----- and -----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----"},
	{"jwt", "eyJmb28iOiJiYXIifQ.x.y and eyJ, or eyJub3QganNvbg.e30.aa"},
	{"azure-secret", "faq~q~abc"}, {"telegram-token", "12:34:aa and 10:AAnything"},
	{"authorization", "the bearer of bad news; bearer tokens are explained below"},
	{"authorization", "basic knowledge of Basic and basic YWJj"},
	{"url-password", "https://example.com:8080/a@b and mailto://x, http://localhost:3000/@scope/pkg"},
	{"url-password", "![x](https://example.com)AȺǅ৺@ and (https://www.example.com/x1),see-anna42@work"},
	{"url-password", "postgres://user:<password>@host/db or postgres://user:${PGPASSWORD}@host/db"},
	{"url-signature", "sig=thing, a signature=ok, ?sig=short"},

	{"password", "I forgot my password again"},
	{"password", "my password is weak, the password is expired and your password is incorrect."},
	{"password", "Password: must contain 8 characters"},
	{"password", "password reset link was sent; password manager: Bitwarden is fine"},
	{"password", "the password is the name of his dog"},
	{"password", "Passwort vergessen? Das Passwort ist falsch. Das Passwort ist abgelaufen."},
	{"password", "password = getPassword(), password = os.environ['PW'], password: ${DB_PASSWORD}, password=$DB_PASSWORD"},
	{"password", "passwordless login: yes. A passport is needed. compass: north"},
	{"password", "password: ********, password: <secret>, password: null, PWD=/home/ada/src"},
	{"password", `password = request.form["password"], password=hashed_password, password = self.pw, password=process.env.PW, password = argon2.hash_password(x)`},
	{"password", "The default of `generate_password_hash` is `pbkdf2:sha256`; print(f\"password: {user.password_hash}\")"},
	{"password", "密码错了。我忘了密码。"},
	{"password", "tests pass: 12, fail: 3. It should pass = yes"},
	{"secret", "the secret is to add salt. My secretary: Ann. secret santa is on 2026-12-24."},
	{"token", "max_tokens: 4096, token count is 1200, tokenizer: bpe2025x, the token expired at 2026-03-01T18:00:00Z"},
	{"pin", "pin: 3 and spin: 4821, pin it to the board at 1234 Main, pinned: 4821"},
	{"pin", "pin 4821 of the connector, PIN 560001 is a postal code, pin on the map is 4821 m away, PIN1234, PIN 48210"},
	{"password", "fields: name: password, value: required; the password, valued by many: hunter2"},
	{"card-code", "cvv is on the back, cvc: see card, CVV 12, cvc1234"},

	{"payment-card", "4111 1111 1111 1112 fails the check digit"},
	{"payment-card", "order 1234567812345670 is no network's range"}, // Luhn holds
	{"payment-card", "IMEI 490154203237518, ISBN 9783161484100, EAN 4006381333931"},
	{"payment-card", "at 1763722291000 ms, 1763722291000000000 ns"},
	{"payment-card", "score 0.4111111111111111 and 3.5555555555554444"},
	{"payment-card", "scores 4.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1 and 4111.111111111111, 4111/111111111111, 41.11/11.11/11.11/11.11"},
	{"payment-card", "postcard4111111111111111, 1.4111.1111.1111.1111, 4111.1111.1111.1111x"},
	{"payment-card", "id a4111111111111111 and 4111111111111111_x"},
	{"payment-card", "0000000000000000, phone +49 30 1234567 and 2026-03-01 18:00:00"},
	{"", "We met on 2026-03-01; Zoë's cat is called Miró. She pays 1.299,00 € a month."},
}

func TestSecretsAreRedacted(t *testing.T) {
	r := redact.New(redact.Options{Secrets: true})
	for _, c := range secrets {
		assert.Equal(t, c.left, r.Redact(c.text), c.kind)
		assert.Equal(t, c.left, r.Redact(c.left), "again: %s", c.kind)
	}
}

func TestHarmlessTextsStay(t *testing.T) {
	r := redact.New(redact.Options{Secrets: true})
	for _, c := range harmless {
		assert.Equal(t, c.text, r.Redact(c.text), c.near)
	}
}

var personal = []struct{ kind, text, left string }{
	{"email", "write to ada.lovelace+x@example.co.uk!", "write to [redacted:email]!"},
	{"email", "müller@bücher.example, ok", "[redacted:email], ok"},
	{"phone", "call me: +49 30 901820 after 6", "call me: [redacted:phone] after 6"},
	{"phone", "(415) 555-2671 or 415-555-2671", "[redacted:phone] or [redacted:phone]"},
	{"phone", "Meine Handynummer 0171 1234567, bis dann", "Meine Handynummer [redacted:phone], bis dann"},
	{"phone", "phone: 5551234567", "phone: [redacted:phone]"},
	{"iban", "IBAN DE89 3704 0044 0532 0130 00.", "IBAN [redacted:iban]."},
	{"iban", "GB82WEST12345698765432", "[redacted:iban]"},
	{"us-ssn", "ssn 536-90-4399 ok", "ssn [redacted:us-ssn] ok"},
	{"ip-address", "from 203.0.113.7 and 2001:db8::8a2e:370:7334.", "from [redacted:ip-address] and [redacted:ip-address]."},
}

var impersonal = []struct{ near, text string }{
	{"email", "ping @ada, git@github.com:org/repo, icon@2x.png, left-pad@1.3.0, a @ b"},
	{"phone", "on 2026-03-01 at 18:00, +5 points, 1-2-3, 555-123-4567 is invented, 100 200 300"},
	{"iban", "GB82WEST12345698765433 is mistyped, AB12CD34EF56GH78"},
	{"us-ssn", "000-12-3456, 666-12-3456, 912-12-3456, 123-00-4567, 123-45-0000, 123-456-789"},
	{"ip-address", "version 1.2.3.4, 127.0.0.1, 0.0.0.0, 300.1.1.1, std::vector, ::1"},
}

func TestPersonalDataIsFoundOnRequest(t *testing.T) {
	r, off := redact.New(redact.Options{PII: true}), redact.New(redact.Options{Secrets: true})
	for _, c := range personal {
		assert.Equal(t, c.left, r.Redact(c.text), c.kind)
		assert.Equal(t, c.left, r.Redact(c.left), "again: %s", c.kind)
		assert.Equal(t, c.text, off.Redact(c.text), "not asked for: %s", c.kind)
	}
	for _, c := range impersonal {
		assert.Equal(t, c.text, r.Redact(c.text), c.near)
	}
}

// Every kind has an example that is found and one that comes close.
func TestEveryKindHasExamples(t *testing.T) {
	found, near := map[string]bool{}, map[string]bool{}
	for _, c := range secrets {
		found[c.kind] = true
	}
	for _, c := range personal {
		found[c.kind] = true
	}
	for _, c := range harmless {
		near[c.near] = true
	}
	for _, c := range impersonal {
		near[c.near] = true
	}
	for _, name := range redact.Kinds() {
		assert.True(t, found[name], "%s is never found in the examples", name)
		assert.True(t, near[name], "%s has no example that comes close", name)
	}
}

func TestCredentialsInNames(t *testing.T) {
	r := redact.New(redact.Options{Secrets: true})
	for _, bad := range []string{"my password is hunter2", "mein Passwort ist Sommer2026", "mi contraseña es gato1234", "我的密码是abc12345", discord, jwt, "s-ghp_" + of(36), "https://ada:s3cr3t@x"} {
		_, found := r.Credential(bad)
		assert.True(t, found, bad)
	}
	for _, good := range []string{"password: reset help", "the password is forgotten", "Passwort vergessen", "2026-03-01", "ada@example.com", "4111111111111111", "pin: 4821", "01890a5d-ac96-774b-bcce-b302099a8057", "+49 30 901820", ""} {
		_, found := r.Credential(good)
		assert.False(t, found, good)
	}
}

func TestDisguisedSecrets(t *testing.T) {
	r := redact.New(redact.Options{Secrets: true, PII: true})
	token := "ghp_" + of(36)
	for name, c := range map[string]struct{ text, left string }{
		"zero-width":           {"a " + spread(token, "\u200b") + " b", "a [redacted:github-token] b"},
		"soft hyphen":          {token[:9] + "\u00ad" + token[9:], "[redacted:github-token]"},
		"tag characters":       {spread(token, "\U000e0041"), "[redacted:github-token]"},
		"bidi control":         {"\u202e" + token + "\u202c", "\u202e[redacted:github-token]\u202c"},
		"NUL":                  {token[:7] + "\x00" + token[7:], "[redacted:github-token]"},
		"full width":           {wide(token) + "。", "[redacted:github-token]。"},
		"line break":           {"key " + token[:20] + "\n" + token[20:] + "\nthanks", "key [redacted:github-token]\nthanks"},
		"shell continuation":   {"TOKEN=" + token[:22] + "\\\n  " + token[22:], "TOKEN=[redacted:github-token]"},
		"break in the prefix":  {"sk-ant-\napi03-" + of(93), "[redacted:anthropic-key]"},
		"in a URL":             {"https://x.example/cb?t=" + token + "#f", "https://x.example/cb?t=[redacted:github-token]#f"},
		"in JSON":              {`{"a":["` + token + `"]}`, `{"a":["[redacted:github-token]"]}`},
		"card, narrow spaces":  {"4111\u00a01111\u202f1111\u00a01111", "[redacted:payment-card]"},
		"two of one kind":      {token + " " + token, "[redacted:github-token] [redacted:github-token]"},
		"word in brackets":     {"[redacted:nothing] " + token, "[redacted:nothing] [redacted:github-token]"},
		"one glued to another": {"AKIA2E3F4G5H6I7J2K3L" + token, "[redacted:aws-access-key][redacted:github-token]"},
		"next line is a word":  {"AKIA2E3F4G5H6I7J2K3L\nand5more", "[redacted:aws-access-key]\nand5more"},
		"behind a leftover":    {"password: [redacted:password]hunter22", "password: [redacted:password][redacted:password]"},
	} {
		assert.Equal(t, c.left, r.Redact(c.text), name)
	}
}

func spread(s, between string) string { return strings.Join(strings.Split(s, ""), between) }

func wide(s string) string {
	return strings.Map(func(r rune) rune { return r - '!' + 0xff01 }, s)
}

func TestRedactJSON(t *testing.T) {
	r := redact.New(redact.Options{Secrets: true})
	rewrite := func(name, value string) (string, error) { return r.Member(name, value), nil }
	for given, want := range map[string]string{
		`{"a": 1, "b":[true,null,"x"]}`: `{"a": 1, "b":[true,null,"x"]}`,
		`{"password":"blue cat"}`:       `{"password":"[redacted:password]"}`,
		`{"card":4111111111111111}`:     `{"card":"[redacted:payment-card]"}`,
		`{"pin":4821,"n":4821}`:         `{"pin":"[redacted:pin]","n":4821}`,
		`["\u0067hp_` + of(36) + `"]`:   `["[redacted:github-token]"]`,
		`{"ghp_` + of(36) + `":"<b>"}`:  `{"[redacted:github-token]":"<b>"}`,
		`"say \"password: hunter2\""`:   `"say \"password: [redacted:password]\""`,
		`{"token":null,"secret":true}`:  `{"token":null,"secret":true}`,
		`{"session":"2026-03-01"}`:      `{"session":"2026-03-01"}`,
	} {
		got, err := redact.JSON([]byte(given), rewrite)
		require.NoError(t, err)
		assert.Equal(t, want, string(got))
	}
	_, err := redact.JSON([]byte(`{"a":`), rewrite)
	require.Error(t, err)
}

// Whatever the text, redacting twice is redacting once, and a planted secret
// is gone.
func TestRedactionIsIdempotentAndThorough(t *testing.T) {
	r := redact.New(redact.Options{Secrets: true, PII: true})
	rapid.Check(t, func(t *rapid.T) {
		before := rapid.StringMatching(`[a-zA-Z0-9 .,:;\n"'={}/@_-]{0,40}`).Draw(t, "before")
		after := rapid.StringMatching(`[a-zA-Z0-9 .,:;\n"'={}/@_-]{0,40}`).Draw(t, "after")
		once := r.Redact(before + " ghp_" + of(36) + " " + after)
		if strings.Contains(once, of(30)) {
			t.Fatalf("kept: %q", once)
		}
		if again := r.Redact(once); again != once {
			t.Fatalf("twice: %q, once: %q", again, once)
		}
	})
}

func FuzzRedact(f *testing.F) {
	for _, c := range secrets {
		f.Add(c.text)
	}
	for _, c := range harmless {
		f.Add(c.text)
	}
	for _, c := range personal {
		f.Add(c.text)
	}
	f.Add("ACCountKeY=0001270A\x000000217A")
	f.Add(`pAss:000A"00A0"`)
	f.Add("phone 0000000+1000000")
	f.Add("4111 1111\u200b 1111 1111 password \u3000: \xff\xfe")
	r := redact.New(redact.Options{Secrets: true, PII: true})
	f.Fuzz(func(t *testing.T, s string) {
		end := 0
		for _, m := range r.Find(s) {
			if m.Start < end || m.End <= m.Start || m.End > len(s) {
				t.Fatalf("%+v in %q", m, s)
			}
			end = m.End
		}
		if once := r.Redact(s); r.Redact(once) != once {
			t.Fatalf("twice: %q, once: %q, of %q", r.Redact(once), once, s)
		}
	})
}

func FuzzJSON(f *testing.F) {
	f.Add([]byte(`{"password":"blue cat","a":[1,-2.5e3,"\u0067\\\""],"b":{"pin":4821}}`))
	f.Add([]byte(`"x"`))
	r := redact.New(redact.Options{Secrets: true, PII: true})
	f.Fuzz(func(t *testing.T, raw []byte) {
		got, err := redact.JSON(raw, func(name, value string) (string, error) { return r.Member(name, value), nil })
		if err != nil {
			return
		}
		if _, err := redact.JSON(got, func(_, value string) (string, error) { return value, nil }); err != nil {
			t.Fatalf("%q became %q: %v", raw, got, err)
		}
	})
}

// hostile are texts that repeat what begins a secret.
var hostile = []string{
	"xoxb-", "xoxb-A1b2C3d4E5f6g7h8-", "bearer=", "bearer=A1b2C3d4E5f6g7h8", "LTAIaB1", "eyJ-", "token_", "password", "password=", "q~", "-us",
	"-----BEGIN PRIVATE KEY-----", "-----BEGIN PRIVATE KEY-----.", "\\\n-u", "203.0.113.7 ", "4 ",
}

// A text of a quarter of a megabyte costs less than half a second, however it is
// made. Where a rule reads to the end of the text at each of its keys, these cost
// minutes.
func TestHostileMessagesCostTheirLength(t *testing.T) {
	r := redact.New(redact.Options{Secrets: true, PII: true})
	start := time.Now()
	for _, unit := range hostile {
		r.Redact(strings.Repeat(unit, 256<<10/len(unit)))
	}
	object := `{"` + strings.Repeat("password ", 256<<10/9) + `": [` + strings.Repeat("1, ", 20_000) + `1]}`
	_, err := redact.JSON([]byte(object), func(name, value string) (string, error) { return r.Member(name, value), nil })
	require.NoError(t, err)
	require.Less(t, time.Since(start), 30*time.Second)
}

// A megabyte costs eight times what 128 KiB cost.
func BenchmarkHostileMessage(b *testing.B) {
	r := redact.New(redact.Options{Secrets: true, PII: true})
	for _, unit := range hostile {
		for _, size := range []int{128 << 10, 1 << 20} {
			b.Run(fmt.Sprintf("%q/%d", unit, size), func(b *testing.B) {
				s := strings.Repeat(unit, size/len(unit))
				b.SetBytes(int64(len(s)))
				for b.Loop() {
					r.Redact(s)
				}
			})
		}
	}
}

const usual = "I talked to Marisol about the move to Lisbon: she found a flat near Alameda for 1,450 a month and wants to sign before 2026-04-15. " +
	"Could you remind me on Friday to send her the deposit and to cancel the gym?"

func BenchmarkUsualMessage(b *testing.B) {
	r := redact.New(redact.Options{Secrets: true})
	b.ReportAllocs()
	for b.Loop() {
		r.Redact(usual)
	}
}

// TestOnConversations counts what is found in conversations that hold no
// secrets. It needs EBB_CONVERSATIONS, a folder of texts.
func TestOnConversations(t *testing.T) {
	dir := os.Getenv("EBB_CONVERSATIONS")
	if dir == "" {
		t.Skip("EBB_CONVERSATIONS is not set")
	}
	r, pii := redact.New(redact.Options{Secrets: true}), redact.New(redact.Options{PII: true})
	lines, hits, personal := 0, 0, 0
	require.NoError(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.Contains(path, "conversations") {
			return err
		}
		b, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for line := range strings.Lines(string(b)) {
			_, err := redact.JSON([]byte(line), func(name, value string) (string, error) {
				lines++
				for _, m := range r.Find(value) {
					hits++
					t.Logf("%s: %q", m.Name, value[max(0, m.Start-60):min(len(value), m.End+20)])
				}
				personal += len(pii.Find(value))
				return value, nil
			})
			if err != nil {
				return err
			}
		}
		return nil
	}))
	t.Logf("%d strings, %d secrets, %d personal", lines, hits, personal)
}
