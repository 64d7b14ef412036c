package consolidate

import (
	"errors"
	"sync"
	"time"
)

// Budget bounds what one run may ask of the model. A number below 0 is no
// bound.
type Budget struct {
	// Calls of the model. Default 500.
	Calls int
	// Tokens, in and out together. Default 0: no bound.
	Tokens int
	// Time from the start of the run after which no call begins. Default one
	// hour.
	Time time.Duration
	// Cost, in the currency of Prices. Default 0: no bound.
	Cost float64
}

// Defaults of [Budget].
const (
	DefaultBudgetCalls = 500
	DefaultBudgetTime  = time.Hour
)

// Prices are what a million tokens cost, in one currency.
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

func (u Usage) plus(v Usage) Usage {
	return Usage{u.Calls + v.Calls, u.InputTokens + v.InputTokens, u.OutputTokens + v.OutputTokens, u.Cost + v.Cost, u.Faults + v.Faults}
}

func (u Usage) minus(v Usage) Usage {
	return Usage{u.Calls - v.Calls, u.InputTokens - v.InputTokens, u.OutputTokens - v.OutputTokens, u.Cost - v.Cost, u.Faults - v.Faults}
}

// ErrBudget means that the run's budget is used up. What is left waits for the
// next night.
var ErrBudget = errors.New("the run's budget is used up")

// account is what a run has used of its budget.
type account struct {
	budget Budget
	prices Prices
	now    func() time.Time // the machine's clock
	start  time.Time

	mu   sync.Mutex
	used Usage
}

func newAccount(b Budget, p Prices, used Usage) *account {
	if b.Calls == 0 {
		b.Calls = DefaultBudgetCalls
	}
	if b.Time == 0 {
		b.Time = DefaultBudgetTime
	}
	//nolint:forbidigo // a budget of time is the machine's, whatever the memory's clock says
	now := time.Now
	return &account{budget: b, prices: p, now: now, start: now(), used: used}
}

// left returns [ErrBudget] when there is nothing left for one more call.
func (a *account) left() error {
	a.mu.Lock()
	defer a.mu.Unlock()
	b, u := a.budget, a.used
	switch {
	case b.Calls > 0 && u.Calls >= b.Calls,
		b.Tokens > 0 && u.InputTokens+u.OutputTokens >= b.Tokens,
		b.Time > 0 && a.now().Sub(a.start) >= b.Time,
		b.Cost > 0 && u.Cost >= b.Cost:
		return ErrBudget
	}
	return nil
}

// call books one call.
func (a *account) call(in, out int) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.used.Calls++
	a.used.InputTokens += in
	a.used.OutputTokens += out
	a.used.Cost += (float64(in)*a.prices.Input + float64(out)*a.prices.Output) / 1e6
}

// fault books a call that failed or an answer of no use.
func (a *account) fault() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.used.Faults++
}

func (a *account) usage() Usage {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.used
}
