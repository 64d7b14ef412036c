package mcpserver

import (
	"context"
	"errors"
	"net/url"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// scheme is the prefix of all resource URIs.
const scheme = "ebb://"

// readBy are the resource templates. Each is answered by a tool, with the URI's
// parameter as the tool's argument.
var readBy = []struct {
	kind, title, description, parameter, tool, argument string
}{
	{"memory", "One memory", "A memory with the messages it rests on, by its id.", "id", "get_memory", "memory_id"},
	{"entity", "A person, place, project or thing", "What is remembered of it: facts, timeline, relations.", "name", "get_entity_info", "name"},
	{"timeline", "A day", "The messages of a day, as 2026-03-01.", "date", "recent_context", "day"},
}

func addResources(s *mcp.Server, open Opener) {
	s.AddResource(&mcp.Resource{
		URI: scheme + "core", Name: "core", Title: "What the user has said of themselves", MIMEType: "text/plain",
		Description: "The start of each context: the user's own statements about themselves that still hold.",
	}, func(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		c, err := open(ctx)
		if err != nil {
			return nil, err
		}
		block, err := c.core(ctx)
		if err != nil {
			return nil, err
		}
		return contents(req.Params.URI, "text/plain", block), nil
	})
	s.AddResource(&mcp.Resource{
		URI: scheme + "health", Name: "health", Title: "State of the memory", MIMEType: "application/json",
		Description: "How much is remembered, when it was consolidated, and what is failing.",
	}, func(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		return readTool(ctx, open, req.Params.URI, "application/json", "memory_stats", map[string]string{})
	})
	for _, r := range readBy {
		s.AddResourceTemplate(&mcp.ResourceTemplate{
			URITemplate: scheme + r.kind + "/{" + r.parameter + "}", Name: r.kind, Title: r.title, Description: r.description, MIMEType: "text/plain",
		}, func(ctx context.Context, req *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			value, err := url.PathUnescape(strings.TrimPrefix(req.Params.URI, scheme+r.kind+"/"))
			if err != nil {
				return nil, mcp.ResourceNotFoundError(req.Params.URI)
			}
			return readTool(ctx, open, req.Params.URI, "text/plain", r.tool, map[string]string{r.argument: value})
		})
	}
}

// readTool returns a tool's answer as the content of a resource.
func readTool(ctx context.Context, open Opener, uri, mime, tool string, arguments map[string]string) (*mcp.ReadResourceResult, error) {
	c, err := open(ctx)
	if err != nil {
		return nil, err
	}
	out, err := c.Run(ctx, tool, arguments)
	if err != nil {
		return nil, err
	}
	if out.Fault != nil {
		return nil, errors.New(out.Text)
	}
	if out.Failed {
		return nil, mcp.ResourceNotFoundError(uri)
	}
	return contents(uri, mime, out.Text), nil
}

func contents(uri, mime, content string) *mcp.ReadResourceResult {
	return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: uri, MIMEType: mime, Text: content}}}
}

// core returns the context block for an empty query. It waits a moment for background
// work: a client may end its server right after a message and ask the next one.
func (c *Conversation) core(ctx context.Context) (string, error) {
	c.settle(ctx, c.patience)
	found, err := c.session.Context(ctx, "")
	if err != nil {
		return "", err
	}
	if found.Block == "" {
		return "The user has not said anything of themselves yet that lasts.", nil
	}
	return found.Block, nil
}
