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

// before and after are a document's neighbours in its thread, nearest first,
// -1 where the thread ends.
func (ix *index) before(doc uint32) (out [window]int32) {
	at := int32(doc)
	for i := range out {
		if at >= 0 {
			at = ix.docs[at].prev
		}
		out[i] = at
	}
	return out
}

func (ix *index) after(doc uint32) (out [window]int32) {
	at := int32(doc)
	for i := range out {
		if at >= 0 {
			at = ix.docs[at].next
		}
		out[i] = at
	}
	return out
}
