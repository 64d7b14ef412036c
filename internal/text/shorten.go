package text

// ShortenValue returns as much of v as fits into the given tokens as a line of JSON:
// the beginning of a text, the newest entries of a list, an equal share of each field
// of an object. It returns nil if nothing fits.
func ShortenValue(v any, tokens int) any {
	line := func(v any) string { return JSON(v) + "\n" }
	if Tokens(line(v)) <= tokens {
		return v
	}
	switch v := v.(type) {
	case string:
		// JSON escapes add characters, so the text must be shorter than the line
		for most := tokens; most > 1; most -= max(1, most/8) {
			if s := Truncate(v, most); Tokens(line(s)) <= tokens {
				return s
			}
		}
	case []any:
		for from := 1; from < len(v); from++ {
			if Tokens(line(v[from:])) <= tokens {
				return v[from:]
			}
		}
	case map[string]any:
		for share := tokens; share > 0; share -= max(1, share/8) {
			left := make(map[string]any, len(v))
			for name, value := range v {
				if value = ShortenValue(value, share); value != nil {
					left[name] = value
				}
			}
			if len(left) > 0 && Tokens(line(left)) <= tokens {
				return left
			}
		}
	}
	return nil
}
