// Package users caches what searches hold in memory of each user.
package users

import lru "github.com/hashicorp/golang-lru/v2"

// Cache holds a value for each of the users searched last. It is safe for concurrent
// use; [New] makes one.
type Cache[V any] struct{ *lru.Cache[int64, V] }

// New returns a cache for at most so many users, which must be positive.
func New[V any](most int) Cache[V] {
	cache, err := lru.New[int64, V](most)
	if err != nil {
		panic(err) // only for a size that is not positive
	}
	return Cache[V]{cache}
}

// Shrink drops the users searched longest ago while all sizes together exceed the
// limit. The user searched last stays.
func (c Cache[V]) Shrink(limit int64, size func(V) int64) {
	total := int64(0)
	for _, v := range c.Values() {
		total += size(v)
	}
	for total > limit && c.Len() > 1 {
		if _, v, removed := c.RemoveOldest(); removed {
			total -= size(v)
		}
	}
}
