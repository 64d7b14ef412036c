package llmtest

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
)

// Rule answers the requests it matches.
type Rule struct {
	mu      *sync.Mutex // the server's
	matches func(Request) bool
	reply   Reply
	times   int // 0 = any number of times
	used    int
	file    string // where the rule was defined
	line    int
}

// Times limits the rule to n answers, at least one.
func (r *Rule) Times(n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.times = max(1, n)
}

// On appends a rule.
func (s *Server) On(matches func(Request) bool, reply Reply) *Rule {
	_, file, line, _ := runtime.Caller(1)
	s.mu.Lock()
	defer s.mu.Unlock()
	rule := &Rule{mu: &s.mu, matches: matches, reply: reply, file: file, line: line}
	s.rules = append(s.rules, rule)
	return rule
}

// take uses one of the rule's answers.
func (r *Rule) take() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.times > 0 && r.used == r.times {
		return false
	}
	r.used++
	return true
}

// String returns the rule's line in the test.
func (r *Rule) String() string {
	r.mu.Lock()
	times, used := r.times, r.used
	r.mu.Unlock()
	state := "does not match"
	if times > 0 && used == times {
		state = fmt.Sprintf("has answered its %d times", times)
	}
	return fmt.Sprintf("%s:%d %s: %s", filepath.Base(r.file), r.line, state, sourceLine(r.file, r.line))
}

// sourceLine returns a line of a test's source, or "" without the source.
func sourceLine(file string, line int) string {
	source, err := os.ReadFile(file)
	lines := strings.Split(string(source), "\n")
	if err != nil || line < 1 || line > len(lines) {
		return ""
	}
	return strings.TrimSpace(lines[line-1])
}

// Any matches every request.
func Any(Request) bool { return true }

// Contains matches a request that contains all the texts.
func Contains(texts ...string) func(Request) bool {
	return func(r Request) bool {
		prompt := r.Prompt()
		return !slices.ContainsFunc(texts, func(t string) bool { return !strings.Contains(prompt, t) })
	}
}

// LastContains matches a request by a text in its last message.
func LastContains(text string) func(Request) bool {
	return func(r Request) bool { return strings.Contains(r.Last(), text) }
}
