package poison

import (
	"fmt"
	"testing"
	"time"
)

func TestZZ2(t *testing.T) {
	all := turns()
	var c [9]int
	var d [9]time.Duration
	tm := func(i int, ok bool, f func()) {
		if ok {
			c[i]++
			b := time.Now()
			f()
			d[i] += time.Since(b)
		}
	}
	nested := 0
	lens := 0
	for _, s := range all {
		lens += len(s)
		v := look(s)
		n := shapeOf(s)
		tm(0, n.run >= 20, func() { base64Run.FindAllString(s, mostRuns) })
		tm(1, n.hex >= 20, func() { hexRun.FindAllString(s, mostRuns) })
		tm(2, n.references >= 5, func() { entities.FindAllString(s, mostRuns) })
		tm(3, n.references > 0, func() {})
		tm(4, n.percents >= 6, func() { percent.FindAllString(s, mostRuns) })
		tm(5, n.escapes, func() {})
		tm(6, n.leet >= 3, func() { leet.Replace(v.plain) })
		tm(7, n.singles >= 6, func() { spaced.MatchString(v.plain) })
		tm(8, n.turned || n.rotated, func() {})
		for _, h := range disguises(s, v) {
			nested++
			_ = h
		}
	}
	for i := range c {
		fmt.Printf("%d n %d %.2f µs/turn\n", i, c[i], float64(d[i].Nanoseconds())/1000/float64(len(all)))
	}
	fmt.Println("nested", nested, "bytes a turn", lens/len(all))
}
