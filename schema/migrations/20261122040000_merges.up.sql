-- Segments of the text index are merged between commits, see textmerge.go: FTS5
-- does it in a commit only when sixteen of one level have gathered.

-- What FTS5 has begun to merge it ends first: of four segments, which is fewer
-- than a merge takes from now on, so that nobody would.
INSERT INTO chunks_fts (chunks_fts, rank) VALUES ('merge', 1000000000);
INSERT INTO chunks_fts (chunks_fts, rank) VALUES ('automerge', 0);
INSERT INTO chunks_fts (chunks_fts, rank) VALUES ('usermerge', 8);  -- mergeSegments
