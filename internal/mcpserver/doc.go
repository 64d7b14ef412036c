// Package mcpserver serves one user's memory over the Model Context Protocol: tools,
// resources and prompts, built on the official SDK.
//
// The tools are those of package tools, with the same parameters and text answers.
// This package adds the protocol's annotations, output schemas and structured content.
//
// # Scope
//
// A [Conversation] is bound to a user. No tool, resource or prompt has a parameter
// that selects another one.
//
// # Trust
//
// A client's model may have read texts that ebb has not seen, such as web pages. What
// it writes has the trust of an external tool's result: it is stored and can be found
// by search, but it is never injected automatically and never consolidated. The same
// applies to record_turn with role user, since a model can claim that the user said
// something. With [Options].TrustClient the operator states that the client serves
// only one person. Role user of record_turn then counts as the user's own words, and
// facts in such messages have the user's trust.
package mcpserver
