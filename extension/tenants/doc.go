// Package tenants keeps a folder of memories, one file for each tenant.
//
//	dir, err := tenants.Open(ctx, "memories", &tenants.Config{Memory: &extension.Config{Key: key}})
//	defer dir.Close(ctx)
//	t, err := dir.Tenant(ctx, "acme") // a memory, open until it is closed
//	defer t.Close(ctx)
//	s, err := t.Session(extension.Scope{User: "ada"})
//
// A fault in a query cannot show one tenant what is another's, and a tenant can be
// backed up, moved or erased ([Dir.Erase]) as a file. The names of the files tell
// nothing of the tenants. A bounded number of files is open at once; an hourly
// round opens the closed ones for their nights.
package tenants
