package extension_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"strings"

	"github.com/ebbmem/ebb/eventbus"
	"github.com/ebbmem/ebb/extension"
)

// Secrets are kept out by default; a host adds what only it knows.
func ExampleRedaction() {
	dir, err := os.MkdirTemp("", "ebb")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	ctx := context.Background()
	ext, err := extension.Open(ctx, filepath.Join(dir, "memory.db"), &extension.Config{Redaction: extension.Redaction{
		PII: true,
		Hook: func(_ context.Context, _, text string) (string, error) {
			return strings.ReplaceAll(text, "Project Heron", "[a project]"), nil
		},
	}})
	if err != nil {
		log.Fatal(err)
	}
	defer ext.Close(ctx)

	scope := extension.Scope{User: "ada"}
	said := "For Project Heron write to noor@example.com, the password is Tulip-4471."
	if err := ext.Bus().Publish(ctx, eventbus.UserMessage(scope, said)); err != nil {
		log.Fatal(err)
	}
	answer, err := ext.Recall(ctx, scope, extension.Query{Text: "whom to write to"})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(answer.Results[0].Memory.Content)
	// Output: For [a project] write to [redacted:email], the password is [redacted:password].
}
