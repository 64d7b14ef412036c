package transfer

import (
	"encoding/json"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/ebbmem/ebb/schema"
)

// label is a name in a row: a text or, as tables count, a number.
type label string

// UnmarshalJSON implements json.Unmarshaler.
func (l *label) UnmarshalJSON(raw []byte) error {
	if raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9' {
		*l = label(raw)
		return nil
	}
	return json.Unmarshal(raw, (*string)(l))
}

// rowUser is the user that a row of a table of many names: a text, a number, or an object with
// an id.
type rowUser struct {
	User   json.RawMessage `json:"user"`
	UserID json.RawMessage `json:"user_id"`
	Camel  json.RawMessage `json:"userId"`
}

// names returns what a row calls its user: an id and a name, for example.
func (r *rowUser) names() (names []string, err error) {
	for _, f := range [...]struct {
		field string
		value json.RawMessage
	}{{"user", r.User}, {"user_id", r.UserID}, {"userId", r.Camel}} {
		if f.value == nil {
			continue
		}
		var name label
		var object struct {
			ID label `json:"id"`
		}
		if json.Unmarshal(f.value, &name) != nil {
			if name = ""; json.Unmarshal(f.value, &object) != nil || object.ID == "" {
				return nil, &schema.InvalidError{Field: f.field, Reason: "is no text, no number and no object with an id"}
			}
			name = object.ID
		}
		if name != "" {
			names = append(names, string(name))
		}
	}
	return names, nil
}

// rowTime is the time of a message or conversation. Chat APIs define none, but logs and tables
// have one under these names.
type rowTime struct {
	Time       json.RawMessage `json:"time"`
	Timestamp  json.RawMessage `json:"timestamp"`
	CreatedAt  json.RawMessage `json:"created_at"`
	CreateTime json.RawMessage `json:"create_time"`
	Created    json.RawMessage `json:"created"`
	Date       json.RawMessage `json:"date"`
	TS         json.RawMessage `json:"ts"`
	Camel      json.RawMessage `json:"createdAt"`
	Sent       json.RawMessage `json:"sent_at"`
}

// at is the time, or zero: that of the first field with a time of day, or else the first date. A
// row may have been created long after its message was sent.
func (c *rowTime) at() (day time.Time, err error) {
	for _, f := range [...]struct {
		name  string
		value json.RawMessage
	}{{"time", c.Time}, {"timestamp", c.Timestamp}, {"sent_at", c.Sent}, {"created_at", c.CreatedAt}, {"create_time", c.CreateTime}, {"created", c.Created}, {"date", c.Date}, {"ts", c.TS}, {"createdAt", c.Camel}} {
		at, dayOnly, err := timeOf(f.name, f.value)
		switch {
		case err != nil && day.IsZero():
			return at, err
		case err != nil, at.IsZero():
		case !dayOnly:
			return at, nil
		case day.IsZero():
			day = at
		}
	}
	return day, nil
}

// timeOf reads a text, or a number of seconds or milliseconds since 1970.
func timeOf(field string, value json.RawMessage) (at time.Time, dayOnly bool, err error) {
	var written string
	var seconds float64
	switch {
	case value == nil || string(value) == "null":
		return at, false, nil
	case json.Unmarshal(value, &written) == nil:
		if n, err := strconv.ParseFloat(written, 64); err == nil && n >= 1e8 && n < 1e13 && (n < 1e10 || n >= milliseconds) && strings.Trim(written, "0123456789.") == "" {
			seconds = n // and no date without hyphens
			break
		}
		at, err = foreignTime(field, written)
		return at, len(written) == len(time.DateOnly), err
	case json.Unmarshal(value, &seconds) == nil:
	default:
		return at, false, &schema.InvalidError{Field: field, Reason: quoted(string(value)) + "is no time, as 2026-03-01T18:00:00Z"}
	}
	if math.Abs(seconds) >= milliseconds {
		seconds /= 1000
	}
	at, err = unixSeconds(field, &seconds)
	return at, false, err
}

// milliseconds is the least number that counts as a time in milliseconds. In seconds it would be in the year 5138.
const milliseconds = 1e11
