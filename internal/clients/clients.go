package clients

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/ebbmem/ebb/internal/link"
)

// Client is an MCP client that starts servers from a configuration file.
type Client struct {
	Name  string // on the command line
	Title string

	key     string // name of the object that lists the servers
	toml    bool
	stdio   bool                               // entries need "type": "stdio"
	user    func(home, config string) []string // path of the user's file
	project []string                           // path inside a project; nil for none
}

// entryName is the name of ebb's entry.
const entryName = "ebb"

// All are the supported clients, sorted by name.
var All = []Client{
	{Name: "claude-code", Title: "Claude Code", key: "mcpServers", stdio: true, user: inHome(".claude.json"), project: []string{".mcp.json"}},
	{Name: "claude-desktop", Title: "Claude Desktop", key: "mcpServers", user: inConfig("Claude", "claude_desktop_config.json")},
	{Name: "codex", Title: "Codex", key: "mcp_servers", toml: true, user: inHome(".codex", "config.toml"), project: []string{".codex", "config.toml"}},
	{Name: "cursor", Title: "Cursor", key: "mcpServers", user: inHome(".cursor", "mcp.json"), project: []string{".cursor", "mcp.json"}},
	{Name: "vscode", Title: "VS Code", key: "servers", stdio: true, user: inConfig("Code", "User", "mcp.json"), project: []string{".vscode", "mcp.json"}},
	{Name: "zed", Title: "Zed", key: "context_servers", user: zedSettings, project: []string{".zed", "settings.json"}},
}

func inHome(path ...string) func(home, config string) []string {
	return func(home, _ string) []string { return append([]string{home}, path...) }
}

func inConfig(path ...string) func(home, config string) []string {
	return func(_, config string) []string { return append([]string{config}, path...) }
}

// zedSettings is Zed's settings file, which is in ~/.config on macOS too.
func zedSettings(home, config string) []string {
	if runtime.GOOS == "windows" {
		return []string{config, "Zed", "settings.json"}
	}
	return []string{home, ".config", "zed", "settings.json"}
}

// Names lists the names of all clients.
func Names() []string {
	names := make([]string, len(All))
	for i, c := range All {
		names[i] = c.Name
	}
	return names
}

// Named returns the client with this name, and an error for an unknown one.
func Named(name string) (*Client, error) {
	at := slices.IndexFunc(All, func(c Client) bool { return c.Name == strings.ToLower(name) })
	if at < 0 {
		return nil, fmt.Errorf("there is no client %q; there are %s", name, strings.Join(Names(), ", "))
	}
	return &All[at], nil
}

// File returns the path of the user's configuration file. If project is not "", it
// returns that of the project in this folder.
func (c *Client) File(project string) (string, error) {
	if project != "" {
		if c.project == nil {
			return "", fmt.Errorf("%s has no configuration for a project", c.Title)
		}
		return filepath.Join(append([]string{project}, c.project...)...), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", err
	}
	config, err := os.UserConfigDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(c.user(home, config)...), nil
}

// Entry is the command with which a client starts a server.
type Entry struct {
	Type    string   `json:"type,omitempty"`
	Command string   `json:"command"`
	Args    []string `json:"args"`
}

// Set returns the content of a configuration file with ebb's entry added or replaced.
// Empty content means a new file.
func (c *Client) Set(content []byte, e Entry) ([]byte, error) {
	if c.stdio {
		e.Type = "stdio"
	}
	if c.toml {
		return c.setTOML(content, e)
	}
	raw, err := json.Marshal(e)
	if err != nil {
		return nil, err
	}
	return c.setJSON(content, raw)
}

// Remove returns the content of a configuration file without ebb's entry. found is
// false if there is none; the content is then unchanged.
func (c *Client) Remove(content []byte) (without []byte, found bool, err error) {
	if c.toml {
		return c.removeTOML(content)
	}
	return c.removeJSON(content)
}

// Read returns the content of a configuration file, or nil if the file does not exist.
func Read(path string) ([]byte, error) {
	content, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return nil, nil
	}
	return content, err
}

// Write replaces a configuration file, or the file that it links to, by one that
// is written whole before.
func Write(path string, content []byte) error {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	mode := os.FileMode(0o600)
	if info, err := os.Stat(path); err == nil {
		mode = info.Mode().Perm()
	}
	return link.WriteFile(path, content, mode)
}
