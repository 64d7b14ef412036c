// Package plugin_test tests the plugin as a host uses it: real langchaingo
// agents and chains, langchaingo's real OpenAI client, a real database; only
// the model is scripted, behind an OpenAI-compatible server on loopback.
package plugin_test
