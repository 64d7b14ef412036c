package said

import (
	"regexp"
	"strings"

	"github.com/ebbmem/ebb/internal/prefilter"
)

// thingSays matches what a file or a program says before a quotation of it: "the README says".
var thingSays = prefilter.New(`(?i)(?:readme|docs?|documentation|guide|page|test|error|log|linter|compiler|comment|config\S*|file|script|prompt|ticket|issue|commit|header|footer|banner|tooltip|button|label|dialog|\S+\.\w{1,4}|doku|fehler|kommentar|datei|seite|archivo|comentario|página|文档|注释|文件|报错|页面)(?: here)? ?(?:says?|reads?|contains|shows|states|wants|steht|sagt|dice|pone|里?写着|里?说)[:,：]? *$`)

// comment returns where a comment begins behind other text of a line, its length for none.
func comment(line string) int {
	for at := 0; ; {
		k := strings.Index(line[at:], "// ")
		if k < 0 {
			return len(line)
		}
		if at += k; at > 0 && (line[at-1] == ' ' || line[at-1] == '\t') {
			return at
		}
		at += len("// ")
	}
}

// isCode reports whether a line is of a program, a log, data or a command, which states nothing of
// the one who pastes it: `const name = "Bob"; // my name is Bob`. Of 12,783 lines of lives none is
// taken for such.
func isCode(line string) bool {
	return code.MatchString(line) || symbols.MatchString(line) && !prose.MatchString(line)
}

var (
	code = prefilter.New(`^(?:[+-]?\s*//|[+-]\t|/\*|\*/|#include\b|#!|@@ |\+\+\+ |diff --git |\$ \w|>>> |<[!?/]?\pL[^<>]*>|@\pL+\(|\}|\{$|[\])]+[;,]?$|[\w.$]+\(.*[);{]$|[\w.$]+\(['"])`,
		`^(?:commit )?[0-9a-f]{7,40}(?: |$)|^(?:[A-Z][A-Z0-9]*_)+[A-Z0-9]+ ?=|^"[\w.-]+" ?: |^\{ ?"|^\[ ?[{"]|^\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|^\[?(?:ERROR|WARN|WARNING|INFO|DEBUG|TRACE|FATAL|CRITICAL|PANIC)\b[\]: ]`,
		`^(?:export |pub |async |public |private |protected |static |final )*(?:func|fn|def|function|class|struct|interface|enum|trait|impl|const|let|var|type) \w+ ?[=:({<]|^(?:func \(|import [\w{"*(.]+(?: |;|$)|from \w+(?:\.\w+)* import |package \w+;?$|return\b.*;$|throw new |at \w+(?:\.[\w$<>]+)+\(|Traceback \(|\w*(?:Error|Exception|Panic|Warning): |File ".*", line \d|goroutine \d+ \[)`,
		`^(?i:as an? (?:\w+ )?(?:user|customer|admin\w*|developer|visitor|guest|member|manager|buyer|seller|operator|shopper|subscriber|editor|reader|client|owner|player|tester|moderator)s?,? i (?:want|need|would like|can|should|must)\b.*\bso that\b)|^(?i:select\b.+\bfrom|insert into|update \w+ set|delete from|create (?:table|index|view)|alter table|drop (?:table|index))\b|</\pL+>|/>|[=(){}].*;\s*(?://.*)?$|;\s*//`)
	symbols = prefilter.New(`:=|!==?|===?|&&|\|\||\) ?=>|\w\(\)|\w\.\w+\(|\w\[\w*\]\s*=|\{\s*$`)
	prose   = regexp.MustCompile(`(?:[\pL'’]+,? ){3}\pL|[\p{Han}，]{5}`)
)
