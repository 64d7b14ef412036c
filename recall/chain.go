package recall

// chain links a document into its thread in order of time, after those of the same
// time.
func (ix *index) chain(doc uint32) {
	d, thread := &ix.docs[doc], ix.meta[doc].thread
	tail := ix.lastInThread[thread]
	if tail < 0 {
		ix.lastInThread[thread] = int32(doc)
		return
	}
	first, after := tail, tail
	for after >= 0 && ix.docs[after].time > d.time {
		first, after = after, ix.docs[after].prev
	}
	d.prev = after
	if after < 0 {
		d.next = first
	} else {
		d.next = ix.docs[after].next
		ix.docs[after].next = int32(doc)
	}
	if d.next < 0 {
		ix.lastInThread[thread] = int32(doc)
	} else {
		ix.docs[d.next].prev = int32(doc)
	}
}

// window is how many turns to either side count as a turn's surroundings.
const window = 2

// around returns a document's neighbours in its thread, nearest first, -1 where the
// thread ends.
func (ix *index) around(doc uint32) (before, after [window]int32) {
	back, on := int32(doc), int32(doc)
	for i := range window {
		if back >= 0 {
			back = ix.docs[back].prev
		}
		if on >= 0 {
			on = ix.docs[on].next
		}
		before[i], after[i] = back, on
	}
	return before, after
}
