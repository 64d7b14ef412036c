// Package demo tells a story of seven weeks with a real memory and a simulated clock,
// for ebb demo.
package demo
