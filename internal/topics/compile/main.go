// Command compile makes internal/topics/lexicon.bin of the lists. Run it in that folder.
package main

import (
	"log"
	"os"

	"github.com/ebbmem/ebb/internal/topics"
)

func main() {
	b, err := topics.Compile(os.DirFS("."))
	if err == nil {
		err = os.WriteFile("lexicon.bin", b, 0o644)
	}
	if err != nil {
		log.Fatal(err)
	}
}
