// Package enrich works on memories seconds after they were stored: it links the
// people, places and addresses that a text mentions to entities, and rates how
// important the text is. It asks no model.
//
//	enricher := enrich.New(db, enrich.Options{})
//	err := enricher.Enrich(ctx, scope, memoryID)
//
// Mentions come from text.Mentions. Each is resolved to an entity of the user,
// or creates one: "Vitya" resolves to Vitaly Orlov, "Dr. Hansen" to Ingrid
// Hansen, and "my boss" to Karim once somebody said who that is, but only if a
// single entity fits. A mention that fits several is linked with a confidence
// below [Sure] and left to the night, which can ask a model. Enriching a memory
// again changes nothing.
//
// A memory of lower trust links to entities that more trusted memories mention,
// but cannot give them names.
package enrich
