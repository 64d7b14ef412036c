// Package tenants stores each tenant's memory in a file of its own, in one folder.
//
//	dir, err := tenants.Open(ctx, "memories", &tenants.Config{Memory: &extension.Config{Key: key}})
//	defer dir.Close(ctx)
//	t, err := dir.Tenant(ctx, "acme") // a memory, open until it is closed
//	defer t.Close(ctx)
//	s, err := t.Session(extension.Scope{User: "ada"})
//
// A faulty query cannot return another tenant's data, and a tenant can be backed
// up, moved or erased ([Dir.Erase]) as a file. File names do not reveal tenants.
// The number of open files is bounded; every hour closed files are opened for their
// nights. Nights of all files run one after another: with a Model and nights that use the
// default budget of an hour, those of 24 users fill a day.
package tenants
