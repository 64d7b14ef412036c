-- Segments of the text index are merged between commits, see textmerge.go: FTS5
-- does it in a commit only when sixteen of one level have gathered.

INSERT INTO chunks_fts (chunks_fts, rank) VALUES ('automerge', 0);
INSERT INTO chunks_fts (chunks_fts, rank) VALUES ('usermerge', 8);  -- mergeSegments
