package core_test

import "github.com/ebbmem/ebb/schema"

var ada = schema.Scope{User: "ada"}
