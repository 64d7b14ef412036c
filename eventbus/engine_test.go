package eventbus_test

import _ "github.com/ebbmem/ebb/internal/memtest" // the engine that the environment chooses
