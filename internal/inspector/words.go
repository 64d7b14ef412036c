package inspector

import (
	"fmt"
	"strings"

	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/schema"
)

// vocabulary has the words of the page for what records and reports name in short, by
// what is named.
var vocabulary = map[string]map[string]string{
	"signal": signalNames, "arm": armNames, "outcome": outcomeNames, "state": stateNames, "origin": originNames, "change": changeNames,
	"operation": operationNames, "actor": actorNames, "status": statusNames, "stage": stageNames, "count": countNames, "consumer": consumerNames, "attribute": attributeNames,
}

// signalNames say what each signal of a score is about; see [recall.Weights].
var signalNames = map[string]string{
	"text": "its words", "related": "related words", "phrase": "words in the same order", "feedback": "like other good hits",
	"key": "a fact drawn from it", "key coverage": "what that fact adds",
	"before": "the message before", "after": "the message after", "window": "messages around it", "session": "its conversation", "session coverage": "all its conversation says",
	"speaker": "who says it", "first person": "says “I”", "user": "the user’s own words", "asks": "opens with a question", "question": "only asks", "echo": "repeats the question",
	"no answer": "says it does not know", "you": "speaks to someone", "wish": "a standing wish", "governs": "a wish that applies here", "length": "its length",
	"date": "has a date", "number": "has a number", "name": "has names", "time": "the time asked for", "entity": "who or what is asked for",
	"vector": "its meaning", "vector beside": "meaning of messages around it", "vector alone": "meaning, where words fail", "topic": "its topic", "topic beside": "topic of messages around it",
	"fusion": "found in several ways", "retention": "how much is left of it", "confidence": "how sure it is", "importance": "how important it is",
	"rerank": "the second ranking", "links": "memories linked to it", "superseded": "it no longer holds",
}

// armNames say in what ways a search finds memories.
var armNames = map[string]string{"text": "words", "vector": "meaning", "entity": "names", "time": "time", "topic": "topic", "instruction": "standing wishes", "links": "memories linked to it"}

// SignalWords says what a signal of a score is about; "" for an unknown one.
func SignalWords(signal string) string { return signalNames[signal] }

// ArmWords says how an arm finds memories; "" for an unknown one.
func ArmWords(arm string) string { return armNames[arm] }

// outcomeNames say why a memory is not among the results.
var outcomeNames = map[string]string{
	"excluded": "the question leaves it out", "unmatched": "nothing connects it to the question", "outranked": "others fit better", "cut": "there was no room",
}

// stateNames say what became of a memory.
var stateNames = map[string]string{
	"active": "current", "dormant": "faded", "quarantined": "set aside", "superseded": "replaced", "retired": "let go", "forgotten": "forgotten",
}

// originNames say where a memory comes from.
var originNames = map[string]string{
	"user_direct": "the user", "assistant": "the assistant", "tool_internal": "a known tool", "tool_external": "a page, mail or document",
	"federation": "another agent", "import": "an import", "unknown": "not known",
}

// trustNames say what each level of trust means, where the origin says no more.
var trustNames = []string{"of unknown source", "from outside", "of another agent", "of a known tool", "the user’s own word"}

// trusted says in a few words how far a memory is the user's word.
func trusted(m extension.Record) string {
	switch {
	case m.Trust >= schema.MaxTrust:
	case m.Origin == schema.OriginAssistant:
		return "the assistant’s word"
	case m.Origin == schema.OriginImport:
		return "imported"
	}
	return trustNames[min(max(int(m.Trust), 0), len(trustNames)-1)]
}

// doubt says how far a memory is from the user's word, and nothing where its speaker
// says so.
func doubt(m extension.Record) string {
	if m.Trust >= schema.MaxTrust || m.Kind == schema.KindEpisode && m.Origin == schema.OriginAssistant {
		return ""
	}
	return trusted(m)
}

var kindNames = map[extension.Kind]string{
	extension.KindEpisode: "message", extension.KindFact: "fact", extension.KindPreference: "preference", extension.KindReflection: "reflection",
}

// changeNames say what was, or would be, done.
var changeNames = map[string]string{
	"add_fact": "learnt a fact", "add_preference": "learnt a preference", "add_reflection": "wrote a reflection", "supersede": "replaced what no longer holds",
	"retire": "let go of what had faded", "dormant": "put to sleep what had faded", "deactivate": "put to sleep", "mention": "told apart a name", "merge_entities": "joined two names of one",
	"relate": "linked two memories", "unrelate": "unlinked two memories", "set_importance": "judged how important it is", "summary": "summed up a person or thing", "skip": "skipped",
	"correct": "corrected", "forget": "forgot", "protect": "protected", "unprotect": "no longer protected", "release": "released", "raise": "taken as the user’s own word", "raise_all": "taken as the user’s own word",
	"approve": "approved a proposal", "reject": "rejected a proposal", "keep": "decided between two",
	"same": "said again", "update": "replaced what no longer holds", "contradiction": "two that do not seem to hold both", "compatible": "two that both hold",
}

// operationNames say what an audited change did to a memory, and actorNames who did it.
var (
	operationNames = map[string]string{
		"add": "remembered", "link": "linked", "unlink": "unlinked", "supersede": "replaced", "retire": "let go", "protect": "protected", "unprotect": "no longer protected", "forget": "forgotten",
		"release": "released", "vouch": "taken as the user’s own word", "distrust": "trusted less", "rate": "importance judged", "reinforce": "confirmed again", "state": "state changed",
	}
	actorNames = map[string]string{"host": "a person or program", "model": "the agent", "night": "a night", "enrich": "work in the background", "import": "an import", "approval": "your approval"}
)

// statusNames say what became of a proposal.
var statusNames = map[string]string{
	"applied": "done", "rejected": "did not hold", "waiting": "waits for you", "known": "known already", "quarantined": "set aside",
}

// stageNames are headings of what a run went through; "decay" is in older files.
var stageNames = map[string]string{
	"said": "From the message", "host": "By hand", "extract": "Facts in what was said", "conflict": "What no longer holds", "entities": "Names", "rate": "Importance",
	"decay": "Fading", "prune": "Letting go", "cap": "Room", "reflect": "Reflection", "themes": "Themes", "archive": "Documents", "emotions": "Feelings", "replay": "Going over the day",
	"tiers": "From recent to lasting", "forgetting": "Forgetting", "redundancy": "Repetitions", "relations": "Links", "outcomes": "What helped", "routing": "Sorting", "self_image": "Self-image",
	"updates": "Joined claims", "rehearsal": "Refreshed", "foresight": "What is past", "bands": "From clear to faded",
}

// countNames say what a stage counted.
var countNames = map[string]string{
	"derived": "facts looked at", "fading": "fading", "faded": "faded", "messages": "messages read", "small_talk": "only small talk", "set_aside": "set aside", "echoes": "repetitions",
	"waiting": "wait for a model", "unusable": "unusable answers of the model", "summarised": "summed up", "beyond_cap": "beyond the limit", "heuristic": "judged by rule",
}

// consumerNames say what work in the background does.
var consumerNames = map[string]string{
	"ebb.enrich": "Names and importance", "ebb.recalled": "What was shown", "ebb.said": "What was said", "ebb.embed": "Meaning (vectors)",
}

// attributeNames are headings of what a memory carries along.
var attributeNames = map[string]string{
	"temporal": "nature", "said": "read as", "prompt": "prompt of the model", "questions": "answers", "quarantine": "set aside for", "released": "released by", "forgotten": "forgotten on",
}

// named returns the words for a name, or the name without its underscores.
func named(words map[string]string, name string) string {
	if w, known := words[name]; known {
		return w
	}
	return strings.ReplaceAll(name, "_", " ")
}

// typeNames are headings of entities of a type.
var typeNames = map[string]string{"person": "People", "place": "Places", "company": "Companies", "organization": "Organisations", "project": "Projects", "thing": "Things", "name": "Other names"}

// ordinal is the place in a ranking: "3rd".
func ordinal(n int) string {
	suffix := "th"
	if n%100/10 != 1 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return fmt.Sprint(n) + suffix
}
