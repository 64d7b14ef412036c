package encoder_test

import (
	"context"
	"fmt"
	"log"

	"github.com/ebbmem/ebb/encoder"
)

// An encoder is read from a folder as it is published, and goes to
// extension.Config.Embedder.
func Example() {
	e, err := encoder.Open("testdata/static") // a small random model
	if err != nil {
		log.Fatal(err)
	}
	vectors, err := e.EmbedDocuments(context.Background(), []string{"We moved to Oslo.", "The cat is asleep."})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(len(vectors), "vectors of", e.Dims(), "numbers")
	// Output: 2 vectors of 12 numbers
}
