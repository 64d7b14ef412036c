package poison

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"sort"
	"testing"
	"time"
)

func turns() (all []string) {
	f, _ := os.Open("/tmp/ebb/b7/turns.jsonl")
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<24)
	for sc.Scan() {
		var t struct{ Role, Text string }
		json.Unmarshal(sc.Bytes(), &t)
		if t.Role != "user" {
			all = append(all, t.Text)
		}
	}
	return all
}

func BenchmarkZZ(b *testing.B) {
	all := turns()
	n := 0
	for b.Loop() {
		for _, s := range all {
			Inspect(s)
		}
		n += len(all)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(n), "ns/turn")
}

func TestZZ(t *testing.T) {
	all := turns()
	type st struct {
		tried, ran, hit int
		d           time.Duration
	}
	stats := map[string]*st{}
	at := func(k string) *st {
		if stats[k] == nil {
			stats[k] = &st{}
		}
		return stats[k]
	}
	run := func(k string, p *pattern, s string) {
		x := at(k)
		x.tried++
		b := time.Now()
		ok := p.need.in(s)
		if ok {
			x.ran++
			if p.Regexp.MatchString(s) {
				x.hit++
			}
		}
		x.d += time.Since(b)
	}
	for _, s := range all {
		v := look(s)
		plain := v.plain
		w := make(windows, len(rules)+2)
		for i := 0; i < len(plain); {
			if !wordByte(plain[i]) {
				i++
				continue
			}
			from := i
			for i < len(plain) && wordByte(plain[i]) {
				i++
			}
			for _, rule := range wordsOf[plain[from:i]] {
				w.open(rule, from, i, len(plain))
			}
		}
		for i := range rules {
			w.find(i, plain, rules[i].symbols)
		}
		for i := range rules {
			for _, a := range w[i] {
				run(fmt.Sprint(i, " ", rules[i].reason), rules[i].pattern, plain[a.from:a.to])
			}
		}
		for _, a := range w[addressedAt] {
			b := time.Now()
			x := at("addressed")
			x.tried++
			if audiences.need.in(plain[a.from:a.to]) && orders.need.in(plain[a.from:a.to]) {
				x.ran++
			}
			near(plain[a.from:a.to], audiences, orders, 140)
			x.d += time.Since(b)
		}
		for _, a := range w[foreignAt] {
			b := time.Now()
			x := at("foreign")
			x.tried++
			piece := plain[a.from:a.to]
			near(piece, foreignAudiences, foreignOrders, 240)
			outright.MatchString(piece)
			x.d += time.Since(b)
		}
		b := time.Now()
		disguises(s, v)
		at("disguises").d += time.Since(b)
		b = time.Now()
		shapeOf(s)
		at("shapeOf").d += time.Since(b)
		b = time.Now()
		look(s)
		at("look").d += time.Since(b)
	}
	var keys []string
	for k := range stats {
		keys = append(keys, k)
	}
	sort.Slice(keys, func(i, j int) bool { return stats[keys[i]].d > stats[keys[j]].d })
	for _, k := range keys {
		x := stats[k]
		fmt.Printf("%-70s tried %6d ran %6d hit %5d  %6.2f µs/turn\n", k, x.tried, x.ran, x.hit, float64(x.d.Nanoseconds())/1000/float64(len(all)))
	}
	fmt.Println(len(all))
}
