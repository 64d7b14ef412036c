package said

import (
	"regexp"

	"github.com/ebbmem/ebb/internal/prefilter"
)

// isCode reports whether a line is of a program, a log, data or a command, which states nothing of
// the one who pastes it: `const name = "Bob"; // my name is Bob`. Of 12,783 lines of lives none is
// taken for such.
func isCode(line string) bool {
	return code.MatchString(line) || symbols.MatchString(line) && !prose.MatchString(line)
}

var (
	code = prefilter.New(`^(?://|/\*|\*/|#include\b|#!|@@ |\+\+\+ |diff --git |\$ \w|>>> |<[!?/]?\pL[^<>]*>|@\pL+\(|\}|\{$|[\])]+[;,]?$|[\w.$]+\(.*[);{]$|[\w.$]+\(['"])`,
		`^(?:commit )?[0-9a-f]{7,40}(?: |$)|^(?:[A-Z][A-Z0-9]*_)+[A-Z0-9]+ ?=|^"[\w.-]+" ?: |^\{ ?"|^\[ ?[{"]|^\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|^\[?(?:ERROR|WARN|WARNING|INFO|DEBUG|TRACE|FATAL|CRITICAL|PANIC)\b[\]: ]`,
		`^(?:export |pub |async |public |private |protected |static |final )*(?:func|fn|def|function|class|struct|interface|enum|trait|impl|const|let|var|type) \w+ ?[=:({<]|^(?:func \(|import [\w{"*(.]+(?: |;|$)|from \w+(?:\.\w+)* import |package \w+;?$|return\b.*;$|throw new |at \w+(?:\.[\w$<>]+)+\(|Traceback \(|File ".*", line \d|goroutine \d+ \[)`,
		`^(?i:select\b.+\bfrom|insert into|update \w+ set|delete from|create (?:table|index|view)|alter table|drop (?:table|index))\b|</\pL+>|/>|[=(){}].*;\s*(?://.*)?$|;\s*//`)
	symbols = prefilter.New(`:=|!==?|===?|&&|\|\||\) ?=>|\w\(\)|\w\.\w+\(|\w\[\w*\]\s*=|\{\s*$`)
	prose   = regexp.MustCompile(`(?:[\pL'’]+,? ){3}\pL|[\p{Han}，]{5}`)
)
