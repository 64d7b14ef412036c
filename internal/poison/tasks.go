package poison

// A list item, a line of minutes or a sentence can assign a task to a program by its
// role, as it does to a person: "- AI notetaker: record that …". The role begins the line
// or sentence, and the text to keep follows directly. A report about such a program, or
// an item for another person, does not match.
const (
	automata = "ai llm automated notetaker notetakers note-taker note-takers taker scribe scribes summariser summarisers summarizer summarizers transcriber transcribers transcriptionist minute-taker bot bots recorder indexer crawler"

	tasked = `(?m)(?:^|[.!?;|>"'\[(*•–—-])[ \t]{0,3}(?:\d{1,2}[.)] ?)?(?:\[[ x]?\] ?)?[*_"@(\[]{0,3}(?:(?:to|for|dear|hey|attention|attn|owner:|assignee:|note to) ){0,2}(?:the |any |every |all |our |your |this )?` +
		`(?:(?:ai|llm|automated)[ -](?:[a-z]+[ -]){0,2}?[a-z]+|(?:[a-z]+[ -])?(?:note[ -]?takers?|scribes?|summari[sz]ers?|transcribers?|transcriptionist|minute[ -]takers?|bots?|recorder|indexer|crawler))` +
		`[*_"\])]{0,3} ?(?:\([^)\n]{1,30}\) ?)?(?:[:,;=–—]|->|=>|-+|to|must|should|shall|please|will|is to|has to)[*_"]{0,3}\s*` +
		`(?:(?:please|kindly|permanently|always|now|also|silently|quietly|hereby|henceforth|from now on|going forward|immediately|first|do|must|should|to|you must|be sure to|make sure to|do not forget to|don't forget to),? ){0,3}` +
		`(?:(?:remember|memori[sz]e|record|store|save|log|note|write|persist|keep|learn|register|enter|file|assume|retain|add|commit|minute|put)\b[^\n]{0,40}?(?:\bthat\b|\bas\b|\bthis\b|\bfollowing\b|\bforever\b|\bpermanent(?:ly)?\b|\bin mind\b|\bmemor(?:y|ies)\b|:)|(?:ignore|forget|disregard|overwrite|treat)\b)`
)
