package schema

import (
	"database/sql/driver"
	"encoding/json"
	"fmt"

	"github.com/ebbmem/ebb/internal/strictjson"
)

// Strings is a list of short texts, kept as a JSON array.
type Strings []string

// Value implements [driver.Valuer]. Nil is stored as the empty array.
func (s Strings) Value() (driver.Value, error) {
	if len(s) == 0 {
		return "[]", nil
	}
	b, err := json.Marshal([]string(s))
	return string(b), err
}

// Scan implements [database/sql.Scanner].
func (s *Strings) Scan(src any) error { return scanJSON(src, (*[]string)(s)) }

// Attributes is extensible metadata of a memory, kept as a JSON object.
type Attributes map[string]string

// Value implements [driver.Valuer]. Nil is stored as the empty object.
func (a Attributes) Value() (driver.Value, error) {
	if len(a) == 0 {
		return "{}", nil
	}
	b, err := json.Marshal(map[string]string(a))
	return string(b), err
}

// Scan implements [database/sql.Scanner].
func (a *Attributes) Scan(src any) error { return scanJSON(src, (*map[string]string)(a)) }

func scanJSON(src, dest any) error {
	switch v := src.(type) {
	case nil:
		return nil
	case string:
		if v == "{}" || v == "[]" { // as most are
			return nil
		}
		return json.Unmarshal([]byte(v), dest)
	case []byte:
		return json.Unmarshal(v, dest)
	}
	return fmt.Errorf("schema: cannot read JSON from %T", src)
}

// DecodeStored decodes the JSON of a column into dest. [ErrCorrupt] otherwise, without
// the JSON's text; what says what was read.
func DecodeStored(what, encoded string, dest any) error {
	if err := json.Unmarshal([]byte(encoded), dest); err != nil {
		return fmt.Errorf("%w: %s %s", ErrCorrupt, what, strictjson.Fault(err))
	}
	return nil
}
