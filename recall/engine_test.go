package recall

import _ "github.com/ebbmem/ebb/internal/memtest" // the engine that the environment chooses
