package ask

import (
	"cmp"
	"errors"
	"sync"
	"time"
)

// Budget limits what one run may ask of the model, or, but for Time, all attempts at
// one night. A negative number is no limit.
type Budget struct {
	// Calls of the model. Default 500.
	Calls int
	// Tokens, input and output together. Default 0: no limit.
	Tokens int
	// Time from the start of the run after which no call begins. Default one
	// hour.
	Time time.Duration
	// Cost, in the currency of Prices. Default 0: no limit.
	Cost float64
}

// Defaults of [Budget].
const (
	DefaultBudgetCalls = 500
	DefaultBudgetTime  = time.Hour
)

// Prices are the costs of a million tokens, in one currency.
type Prices struct {
	Input  float64
	Output float64
}

// Usage is what was asked of the model.
type Usage struct {
	Calls        int     `json:"calls,omitempty"`
	InputTokens  int     `json:"input_tokens,omitempty"`
	OutputTokens int     `json:"output_tokens,omitempty"`
	Cost         float64 `json:"cost,omitempty"`
	// Faults are calls that failed and answers that could not be used.
	Faults int `json:"faults,omitempty"`
}

// Plus returns the sum of u and v.
func (u Usage) Plus(v Usage) Usage {
	return Usage{u.Calls + v.Calls, u.InputTokens + v.InputTokens, u.OutputTokens + v.OutputTokens, u.Cost + v.Cost, u.Faults + v.Faults}
}

// Minus returns the difference of u and v.
func (u Usage) Minus(v Usage) Usage {
	return Usage{u.Calls - v.Calls, u.InputTokens - v.InputTokens, u.OutputTokens - v.OutputTokens, u.Cost - v.Cost, u.Faults - v.Faults}
}

// ErrBudget is returned when the run's budget is used up.
var ErrBudget = errors.New("the run's budget is used up")

// Account counts what a run uses of its budget. It is safe for concurrent use.
type Account struct {
	budget Budget
	prices Prices
	now    func() time.Time // the machine's clock
	start  time.Time

	mu      sync.Mutex
	used    Usage
	earlier Usage // by other runs within the same budget
}

// NewAccount starts the time of a budget. used is what an interrupted run that
// is continued had used before.
func NewAccount(b Budget, p Prices, used Usage) *Account {
	b.Calls = cmp.Or(b.Calls, DefaultBudgetCalls)
	b.Time = cmp.Or(b.Time, DefaultBudgetTime)
	//nolint:forbidigo // a time budget runs by the machine's clock, not the memory's
	now := time.Now
	return &Account{budget: b, prices: p, now: now, start: now(), used: used}
}

// Charge counts what other runs used of the same budget. It is no part of
// [Account.Usage].
func (a *Account) Charge(earlier Usage) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.earlier = a.earlier.Plus(earlier)
}

// Usage returns what was used.
func (a *Account) Usage() Usage {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.used
}

// check returns [ErrBudget] if the budget allows no further call.
func (a *Account) check() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	b, u := a.budget, a.used.Plus(a.earlier)
	switch {
	case b.Calls > 0 && u.Calls >= b.Calls,
		b.Tokens > 0 && u.InputTokens+u.OutputTokens >= b.Tokens,
		b.Time > 0 && a.now().Sub(a.start) >= b.Time,
		b.Cost > 0 && u.Cost >= b.Cost:
		return ErrBudget
	}
	return nil
}

// addCall counts a call.
func (a *Account) addCall(in, out int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.used.Calls++
	a.used.InputTokens += in
	a.used.OutputTokens += out
	a.used.Cost += (float64(in)*a.prices.Input + float64(out)*a.prices.Output) / 1e6
}

// addFault counts a failed call or an unusable answer.
func (a *Account) addFault() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.used.Faults++
}
