package extension

import (
	"context"
	"time"

	"github.com/ebbmem/ebb/consolidate"
	"github.com/ebbmem/ebb/schema"
)

// readBehind counts what is set aside and the nights that are due.
func (h *Health) readBehind(ctx context.Context, s *schema.Snapshot, cfg Config) error {
	if err := s.Row(ctx, "SELECT count(*) FROM memories WHERE state = 'quarantined'", nil, &h.Quarantined); err != nil {
		return err
	}
	at, err := time.Parse("15:04", cfg.NightTime)
	if err != nil {
		return err
	}
	night := time.Duration(at.Hour())*time.Hour + time.Duration(at.Minute())*time.Minute
	rows, err := s.Query(ctx, "SELECT time_zone, min(nights_through) FROM users WHERE nights_through <> '' GROUP BY time_zone")
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		var zone, through string
		if err := rows.Scan(&zone, &through); err != nil {
			return err
		}
		location := cfg.Location
		if named, err := time.LoadLocation(zone); err == nil && zone != "" {
			location = named
		}
		if day, due := consolidate.DueDay(cfg.Now(), through, location, night); due {
			h.NightsOverdue = max(h.NightsOverdue, daysBetween(through, day))
		}
	}
	return rows.Err()
}

// daysBetween counts the dates after one through another; 0 when either is none.
func daysBetween(after, through string) int64 {
	from, err1 := time.Parse(time.DateOnly, after)
	to, err2 := time.Parse(time.DateOnly, through)
	if err1 != nil || err2 != nil {
		return 0
	}
	return int64(to.Sub(from) / (24 * time.Hour))
}
