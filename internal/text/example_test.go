package text_test

import (
	"fmt"
	"time"

	"github.com/ebbmem/ebb/internal/text"
)

func ExampleTerms() {
	fmt.Println(text.Terms("Anna's cats don't like Zoë"))
	// Output: [anna cat dont like zoe]
}

func ExampleMentions() {
	for _, m := range text.Mentions("Thanks Anna! Dr. Hansen is in Oslo until Friday, see https://example.org.") {
		fmt.Println(m.Type, m.Text)
	}
	// Output:
	// name Anna
	// name Dr. Hansen
	// name Oslo
	// date Friday
	// url https://example.org
}

func ExampleTimeSpans() {
	ref := time.Date(2024, 5, 15, 9, 0, 0, 0, time.UTC)
	for _, s := range text.TimeSpans("We met last week, and once in March.", ref) {
		fmt.Println(s.Text, s.Start.Format(time.DateOnly), s.End.Format(time.DateOnly))
	}
	// Output:
	// last week 2024-05-06 2024-05-13
	// in March 2024-03-01 2024-04-01
}
