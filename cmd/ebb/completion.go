package main

import (
	"os"

	"github.com/alecthomas/kong"
	completion "github.com/jotaen/kong-completion"
	"golang.org/x/term"
)

// completionCmd is the command that prints a shell's code for completion: to a terminal
// only on request, in place of advice.
type completionCmd struct{ completion.Completion }

// Help implements [kong.HelpProvider].
func (c *completionCmd) Help() string {
	return `Put this line into the init file of the shell, such as ~/.bashrc:

    source <(ebb completion bash)

For zsh the same in ~/.zshrc; for fish "ebb completion fish | source". On a terminal the command prints this advice for your shell, and the code with --code.`
}

// Run implements the command.
func (c *completionCmd) Run(parsed *kong.Context) error {
	out, isFile := parsed.Stdout.(*os.File)
	c.Code = c.Code || !isFile || !term.IsTerminal(int(out.Fd()))
	return c.Completion.Run(parsed)
}
