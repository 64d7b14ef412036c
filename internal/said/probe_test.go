package said

import (
	"bufio"
	"fmt"
	"os"
	"testing"
)

// TestProbe prints the claims of the lines of a file.
func TestProbe(t *testing.T) {
	f, err := os.Open(os.Getenv("PROBE"))
	if err != nil {
		t.Skip(err)
	}
	in := bufio.NewScanner(f)
	for in.Scan() {
		fmt.Println("» " + in.Text())
		for _, c := range Claims(in.Text(), 0) {
			show(c)
		}
		for _, r := range Requests(in.Text()) {
			fmt.Printf("     REQ %d about=%q\n", r.Verb, r.About)
		}
		if c, ok := Reported(in.Text(), []string{"Ada Lovelace"}); ok && os.Getenv("REPORTED") != "" {
			fmt.Print("  R")
			show(c)
		}
	}
}

func show(c Claim) {
	fmt.Printf("     %s | %s | %s  %s", c.Subject, c.Predicate, c.Object, c.Temporal)
	if c.Functional {
		fmt.Print(" F")
	}
	if c.Change {
		fmt.Print(" CH")
	}
	if c.Ended != "" {
		fmt.Print(" ended=", c.Ended)
	}
	if c.Denied {
		fmt.Print(" DENIED")
	}
	if c.Wish {
		fmt.Print(" WISH")
	} else if c.Preference {
		fmt.Print(" PREF")
	}
	fmt.Println()
}
