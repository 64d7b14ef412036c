package extension_test

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/ebbmem/ebb/extension"
	"github.com/ebbmem/ebb/extension/transfer"
)

// A history is taken in once, however often it is imported, and an export
// carries a user's memory into another file.
func ExampleExtension_Import() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "ebb-example-*")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	x, err := extension.Open(ctx, filepath.Join(dir, "memory.db"), &extension.Config{NoBackground: true})
	if err != nil {
		log.Fatal(err)
	}
	defer x.Close(ctx)

	const history = `{"id":"1","session":"march","time":"2026-03-01T18:00:00Z","speaker":"Ada","role":"user","text":"Ottilie teaches the violin."}
{"id":"2","session":"march","time":"2026-03-01T18:01:00Z","role":"assistant","text":"Since when?"}
`
	ada := extension.Scope{User: "ada"}
	for range 2 {
		report, err := x.Import(ctx, strings.NewReader(history), transfer.ImportOptions{Scope: ada})
		if err != nil {
			log.Fatal(err)
		}
		fmt.Printf("%d stored, %d were there\n", report.Stored, report.Duplicates)
	}

	var backup bytes.Buffer
	if _, err := x.Export(ctx, &backup, ada); err != nil {
		log.Fatal(err)
	}
	y, err := extension.Open(ctx, filepath.Join(dir, "other.db"), &extension.Config{NoBackground: true})
	if err != nil {
		log.Fatal(err)
	}
	defer y.Close(ctx)
	if _, err := y.Import(ctx, &backup, transfer.ImportOptions{Restore: true}); err != nil {
		log.Fatal(err)
	}
	answer, err := y.Recall(ctx, ada, extension.Query{Text: "Who teaches the violin?"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer.Results[0].Memory.Content)
	// Output:
	// 2 stored, 0 were there
	// 0 stored, 2 were there
	// Ottilie teaches the violin.
}
