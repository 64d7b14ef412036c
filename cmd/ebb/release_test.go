package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert/yaml"
	"github.com/stretchr/testify/require"
)

func readRoot(t *testing.T, name string) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("..", "..", name))
	require.NoError(t, err)
	return content
}

// released is the newest version in the changelog.
func released(t *testing.T) string {
	t.Helper()
	found := regexp.MustCompile(`(?m)^## \[(\d+\.\d+\.\d+)\]`).FindSubmatch(readRoot(t, "CHANGELOG.md"))
	require.NotNil(t, found)
	return string(found[1])
}

// What the MCP registry says starts this program, under this name and version.
func TestReleaseServerJSON(t *testing.T) {
	var server struct {
		Name        string `json:"name"`
		Description string `json:"description"`
		Version     string `json:"version"`
		Packages    []struct {
			Identifier string `json:"identifier"`
			Arguments  []struct {
				Type  string `json:"type"`
				Name  string `json:"name"`
				Value string `json:"value"`
			} `json:"packageArguments"`
		} `json:"packages"`
	}
	require.NoError(t, json.Unmarshal(readRoot(t, "server.json"), &server))
	require.Equal(t, released(t), server.Version)
	require.LessOrEqual(t, len(server.Description), 100, "the registry's limit")
	require.Len(t, server.Packages, 1)
	require.Equal(t, "ghcr.io/ebbmem/ebb:"+server.Version, server.Packages[0].Identifier)
	require.Contains(t, string(readRoot(t, "Containerfile")), `io.modelcontextprotocol.server.name="`+server.Name+`"`, "the registry asks the image whose it is")

	require.Equal(t, "mcp", server.Packages[0].Arguments[0].Value)
	args := []string{"--db", filepath.Join(t.TempDir(), "m.db")}
	for _, a := range server.Packages[0].Arguments[1:] {
		value := a.Value
		if value == "" {
			value = "ada"
		}
		args = append(args, a.Name, value)
	}
	client, _ := mcpClient(t, args...)
	_, name, _ := strings.Cut(server.Name, "/")
	require.Equal(t, name, client.InitializeResult().ServerInfo.Name)
	require.NoError(t, client.Close())
}

// The configuration of goreleaser builds this program for the platforms it is made
// for, and its version reaches `ebb version`.
func TestReleaseConfiguration(t *testing.T) {
	var config struct {
		Version int `json:"version" yaml:"version"`
		Builds  []struct {
			Main    string   `yaml:"main"`
			Binary  string   `yaml:"binary"`
			Env     []string `yaml:"env"`
			LDFlags []string `yaml:"ldflags"`
			OS      []string `yaml:"goos"`
			Arch    []string `yaml:"goarch"`
		} `yaml:"builds"`
		Archives []struct {
			Files []string `yaml:"files"`
		} `yaml:"archives"`
	}
	require.NoError(t, yaml.Unmarshal(readRoot(t, ".goreleaser.yaml"), &config))
	require.Equal(t, 2, config.Version)
	require.Len(t, config.Builds, 1)
	build := config.Builds[0]
	require.DirExists(t, filepath.Join("..", "..", build.Main))
	require.Equal(t, filepath.Base(build.Main), build.Binary)
	require.Equal(t, []string{"CGO_ENABLED=0"}, build.Env)
	require.Equal(t, []string{"linux", "darwin", "windows"}, build.OS)
	require.Equal(t, []string{"amd64", "arm64"}, build.Arch)
	for _, pattern := range config.Archives[0].Files {
		files, err := filepath.Glob(filepath.Join("..", "..", pattern))
		require.NoError(t, err)
		require.NotEmpty(t, files, pattern)
	}
	info, ok := debug.ReadBuildInfo()
	require.True(t, ok)
	module := strings.TrimSuffix(info.Path, ".test")
	module, _, _ = strings.Cut(module, "/cmd/")
	variable := "-X " + module + "/internal/build.version="
	require.True(t, slices.ContainsFunc(build.LDFlags, func(f string) bool { return strings.Contains(f, variable) }), variable)
	require.Contains(t, string(readRoot(t, "Containerfile")), variable)
	require.Regexp(t, `(?m)^var version string`, string(readRoot(t, "internal/build/build.go")))
}
