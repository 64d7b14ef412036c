package vfstest

import (
	"errors"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
)

// Image is a possible content of a disk after a power loss.
type Image struct {
	// Files are the contents by name in the folder.
	Files map[string][]byte
	// Acked lists the acknowledgements before that moment.
	Acked []string
	// Moment is the number of events before the power loss.
	Moment int
}

// Put writes the image's files into a folder, and removes all others.
func (i *Image) Put(dir string) error {
	old, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	errs := make([]error, 0, len(old)+len(i.Files))
	for _, f := range old {
		errs = append(errs, os.RemoveAll(filepath.Join(dir, f.Name())))
	}
	for name, data := range i.Files {
		errs = append(errs, os.WriteFile(filepath.Join(dir, name), data, 0o600))
	}
	return errors.Join(errs...)
}

// Images yields n images at random moments, in order of time, until yield returns
// false. The same seed yields the same images. yield may keep the files' bytes.
func (r *Recording) Images(seed uint64, n int, yield func(*Image) bool) {
	rng := rand.New(rand.NewPCG(seed, uint64(n)))
	moments := make([]int, n)
	for i := range moments {
		moments[i] = rng.IntN(len(r.events) + 1)
	}
	slices.Sort(moments)
	p := newPlatter(r, rng)
	for _, m := range moments {
		for p.over < m {
			p.happen(r.events[p.over])
		}
		if !yield(p.image()) {
			return
		}
	}
}

// platter models the disk below the page cache.
type platter struct {
	rng   *rand.Rand
	over  int // number of events so far
	acked []string

	saved   map[int][]byte  // by inode: the synced content
	unsaved map[int][]event // writes since
	names   map[string]int  // the synced entries of the folder
	renames []event         // changes of entries since
}

func newPlatter(r *Recording, rng *rand.Rand) *platter {
	p := &platter{rng: rng, saved: make(map[int][]byte), unsaved: make(map[int][]event), names: maps.Clone(r.names)}
	for inode, data := range r.base {
		p.saved[inode] = slices.Clone(data)
	}
	return p
}

func (p *platter) happen(e event) {
	p.over++
	switch e.what {
	case written, resized:
		p.unsaved[e.inode] = append(p.unsaved[e.inode], e)
	case named, unnamed:
		p.renames = append(p.renames, e)
	case synced:
		if e.bad {
			p.saved[e.inode] = p.content(e.inode) // this outcome is final
		} else {
			p.saved[e.inode] = apply(p.saved[e.inode], p.unsaved[e.inode])
		}
		p.unsaved[e.inode] = nil
	case folderSynced:
		if e.bad {
			p.names = p.entries()
		} else {
			rename(p.names, p.renames)
		}
		p.renames = nil
	case acknowledged:
		p.acked = append(p.acked, e.name)
	}
}

func (p *platter) image() *Image {
	i := &Image{Files: make(map[string][]byte), Acked: slices.Clone(p.acked), Moment: p.over}
	for name, inode := range p.entries() {
		i.Files[name] = p.content(inode)
	}
	return i
}

// entries returns the folder with the first few of its changes since the last
// sync. File systems with a journal keep their order.
func (p *platter) entries() map[string]int {
	names := maps.Clone(p.names)
	rename(names, p.renames[:p.rng.IntN(len(p.renames)+1)])
	return names
}

func rename(names map[string]int, events []event) {
	for _, e := range events {
		if e.what == named {
			names[e.name] = e.inode
		} else {
			delete(names, e.name)
		}
	}
}

// content returns a possible content of a file.
func (p *platter) content(inode int) []byte {
	saved, unsaved := p.saved[inode], p.unsaved[inode]
	if len(unsaved) == 0 {
		return slices.Clone(saved)
	}
	switch p.rng.IntN(6) {
	case 0: // nothing of it
		return slices.Clone(saved)
	case 1: // all of it
		return apply(slices.Clone(saved), unsaved)
	case 2: // up to somewhere in the middle of one write
		n := p.rng.IntN(len(unsaved))
		part := slices.Clone(unsaved[:n+1])
		if last := &part[n]; last.what == written {
			last.data = last.data[:upToSector(last.at, len(last.data), p.rng)]
		}
		return apply(slices.Clone(saved), part)
	case 3: // some of the writes
		var some []event
		for _, e := range unsaved {
			if p.rng.IntN(2) == 0 {
				some = append(some, e)
			}
		}
		return apply(slices.Clone(saved), some)
	default:
		return p.scatter(saved, unsaved)
	}
}

// sector is what a disk writes wholly or not at all.
const sector = 512

func upToSector(off int64, n int, rng *rand.Rand) int {
	cut := rng.IntN(n + 1)
	return max(0, cut-int((off+int64(cut))%sector))
}

func apply(data []byte, events []event) []byte {
	for _, e := range events {
		if e.what == resized {
			data = sized(data, e.at)
			continue
		}
		if end := e.at + int64(len(e.data)); len(e.data) > 0 && end > int64(len(data)) {
			data = sized(data, end)
		}
		copy(data[min(e.at, int64(len(data))):], e.data)
	}
	return data
}

func sized(data []byte, size int64) []byte {
	if size <= int64(len(data)) {
		return data[:size]
	}
	n := len(data)
	data = slices.Grow(data, int(size)-n)[:size]
	clear(data[n:])
	return data
}

// scatter chooses for each sector by itself, and for the size, how many of the
// writes have reached it.
func (p *platter) scatter(saved []byte, unsaved []event) []byte {
	reach := make(map[int64]int)
	reached := func(s int64) int {
		n, known := reach[s]
		if !known {
			n = p.rng.IntN(len(unsaved) + 1)
			reach[s] = n
		}
		return n
	}
	end := int64(len(saved))
	for i, size := 0, p.rng.IntN(len(unsaved)+1); i < size; i++ {
		if e := unsaved[i]; e.what == resized {
			end = e.at
		} else {
			end = max(end, e.at+int64(len(e.data)))
		}
	}
	data := slices.Clone(saved)
	for i, e := range unsaved {
		if e.what == resized {
			from := min(e.at, int64(len(data)))
			for at := from; at < int64(len(data)); {
				next := min((at/sector+1)*sector, int64(len(data)))
				if i < reached(at/sector) {
					clear(data[at:next])
				}
				at = next
			}
			continue
		}
		if need := e.at + int64(len(e.data)); need > int64(len(data)) {
			data = sized(data, need)
		}
		for at, rest := e.at, e.data; len(rest) > 0; {
			n := min(int((at/sector+1)*sector-at), len(rest))
			if i < reached(at/sector) {
				copy(data[at:], rest[:n])
			}
			at, rest = at+int64(n), rest[n:]
		}
	}
	return sized(data, end)
}
