// Package redact finds what must not be kept in a text that people wrote:
// secrets, and on request personal data. It is pure: a text goes in, a text
// with placeholders such as [redacted:github-token] comes out, and a sentence
// stays readable around them.
//
// # What is found
//
// Secrets: keys and tokens of providers by the shapes that they publish (the
// prefixes are those that the providers' secret-scanning pages and the rules
// of open scanners such as gitleaks agree on), private key blocks (RFC 7468),
// JSON Web Tokens (RFC 7519), bearer and basic credentials (RFC 6750, RFC
// 7617), passwords in addresses of services (RFC 3986, section 3.2.1) and
// behind curl's -u, cookies of sessions (RFC 6265), 32 bytes of hex beside the
// words "private key", seed phrases of wallets (BIP-39, English: the list and
// its checksum), values
// given to a name such as "password" or "api_key" in code, configuration, JSON
// or prose of several languages, and payment cards (ISO/IEC 7812: the ranges
// of the networks, their lengths and the Luhn digit).
//
// Personal data: e-mail addresses, telephone numbers (E.164, and the usual
// national forms), IBAN (ISO 13616: length by country and checksum), US social
// security numbers, IP addresses.
//
// The shapes stand here, and no scanner is imported: those for repositories
// bring some sixty modules and know no prose, and a memory reads messages.
//
// # What it costs
//
// One pass of an Aho-Corasick automaton looks for the words that secrets begin
// with or stand behind; only where one occurs is anything compared. A usual
// message pays for the pass alone.
//
// # What is not found
//
// A secret of a shape nobody published that no telling word stands beside; one
// written with look-alike letters of another script, reversed, encoded in
// another way than an address does (RFC 3986), or spread over several messages; a
// seed phrase in another language, or with a word mistyped. Formatting characters that cannot be seen, full-width letters, and line
// breaks inside a token hide nothing.
package redact
