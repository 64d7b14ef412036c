// Package mcpserver offers one user's memory to a client of the Model Context
// Protocol: tools, resources and prompts over the official SDK.
//
// The tools are those of package tools, with the parameters and the answers that
// they have for an agent. This package adds what the protocol asks for beside the
// text: annotations, output schemas and structured content.
//
// # Scope
//
// [Conversation] fixes the user. No tool, resource or prompt has a parameter for
// it.
//
// # Trust
//
// A client's model can have read texts that ebb was not shown, such as web pages.
// What it writes has the trust of an unknown tool's answer: it is stored, a search
// finds it, and it is never injected automatically nor consolidated. This holds for
// record_turn with role user too, since a model can write that the user said
// something. With [Options].TrustClient the operator states that the client speaks
// for one person alone; then the role user of record_turn is the user's own word,
// and a fact that such a message says has the user's trust.
package mcpserver
