// Package intent reads what a question asks for beyond its words: a time ("What did
// I do yesterday?"), a date ("When is the dentist?"), the last conversation, what
// is known about the user, or whatever the conversation is about ("And where?"). It
// knows words and grammar in English, German, Spanish and Chinese, and no memory.
package intent
