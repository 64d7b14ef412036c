// Package server offers a memory to other programs over HTTP: a JSON API below
// /v1, the Model Context Protocol at /mcp, /healthz and /metrics.
//
// # Who asks
//
// Each request but /healthz carries a bearer token ([Tokens]). A token is for one
// user, or for a service that names the user in the header Ebb-User. No body, path
// or query has a place for a user. A token for a client, the default, speaks as a
// model does: what it writes is not the user's word ([mcpserver.Message]). A token
// for a host speaks as a program that imports the extension does: it states what
// the user wrote.
//
// # What surrounds a request
//
// [Server.Handler] wraps every route, from the outside in: the check of Host and
// Origin, against pages that a browser has open and names that resolve to
// loopback; the limits of body and time; the count for /metrics. The routes below
// [Server.authenticated] then ask for the token and bound its rate. A route of
// another kind, such as a page with a cookie, is added beside them in
// [Server.Handler].
package server
