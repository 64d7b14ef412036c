// Package redact replaces secrets, and optionally personal data, in text that
// people wrote by placeholders such as [redacted:github-token]. The sentence
// around them stays readable. It has no state.
//
// # What is found
//
// Secrets: keys and tokens of providers by their published shapes (the prefixes
// on which the providers' secret-scanning pages and the rules of open scanners
// such as gitleaks agree), private key blocks (RFC 7468), JSON Web Tokens (RFC
// 7519), bearer and basic credentials (RFC 6750, RFC 7617), passwords in URLs (RFC
// 3986, section 3.2.1) and after curl's -u, session cookies (RFC 6265), 32 bytes
// of hex beside the words "private key", seed phrases of wallets (BIP-39, English:
// the list and its checksum), values assigned to a name such as "password" or
// "api_key" in code, configuration, JSON or prose of several languages, and
// payment cards (ISO/IEC 7812: the ranges of the networks, their lengths and the
// Luhn digit).
//
// Personal data: e-mail addresses, telephone numbers (E.164, and the usual
// national forms), IBAN (ISO 13616: length by country and checksum), US social
// security numbers, IP addresses.
//
// The package imports no scanner. Those for repositories bring some sixty modules
// and do not read prose, which messages are.
//
// # What it costs
//
// One pass of an Aho-Corasick automaton finds the words that begin or precede
// secrets. Only where one occurs does a rule compare anything, so that most
// messages cost the pass alone. A rule reads a bounded stretch around a word, or
// more once and not again, so that the time grows with the length of any text.
//
// # What is not found
//
// A secret of an unpublished shape without a word such as "password" beside it;
// one written with look-alike letters of another script, reversed, encoded
// otherwise than in a URL (RFC 3986), or spread over several messages; a seed
// phrase in another language, or with a mistyped word; a card number glued to a
// word other than a network's name, in groups other than those of printed cards,
// or in digits other than Latin and Arabic ones; a PIN beside words that are not
// about cards. Invisible formatting characters, full-width letters, and line breaks
// inside a token do not hide a secret.
package redact
