// Package server offers a memory to other programs over HTTP: a JSON API below
// /v1, the Model Context Protocol at /mcp, /healthz and /metrics.
//
// # Authentication
//
// Every request carries a bearer token ([Tokens]), except /healthz and those that
// [Options].Page answers. A token is for one user, or for a service that names the
// user in the header Ebb-User. No body, path or query parameter selects a user. A
// client token, the default, has the rights of a model: what it writes does not count
// as the user's own words ([mcpserver.Message]). A host token has the rights of a
// program that imports the extension: it may state what the user wrote.
//
// # Middleware
//
// [Server.Handler] wraps every route, from the outside in: the check of Host and
// Origin, against pages that a browser has open and names that resolve to
// loopback; the limits of body and time; the count for /metrics. The routes below
// [Server.authenticated] then ask for the token and bound its rate. A route of
// another kind, as the page of package inspector with its cookie, stands beside
// them.
//
// To add a route: a line of endpoints and the types of its bodies (api.go), a call in
// TestAPIMatchesDocument, and a row of the table in docs/SERVE.md. The OpenAPI document
// follows from the types.
package server
