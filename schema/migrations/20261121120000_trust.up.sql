-- Erasing, and what it needs to be quick and to be finished after a crash.

-- Erased ids, without content, so that redelivery cannot resurrect. The hash is
-- of the owner's name and the id together; see tombstones.go.
DROP TABLE IF EXISTS tombstones_before;
ALTER TABLE tombstones RENAME TO tombstones_before;
CREATE TABLE tombstones (
  id_hash   TEXT NOT NULL,
  user_id   INTEGER NOT NULL REFERENCES users(id),
  erased_at INTEGER NOT NULL,
  PRIMARY KEY (id_hash, user_id)
) WITHOUT ROWID;
INSERT INTO tombstones (id_hash, user_id, erased_at) SELECT id_hash, user_id, erased_at FROM tombstones_before;
DROP TABLE tombstones_before;
CREATE INDEX tombstones_by_user ON tombstones (user_id);

CREATE TABLE erasures (                          -- what was asked to be erased, without any of it
  id          INTEGER PRIMARY KEY AUTOINCREMENT,
  uid         TEXT NOT NULL UNIQUE,
  user_id     INTEGER NOT NULL REFERENCES users(id),
  everything  INTEGER NOT NULL,                  -- the user and all that is theirs
  state       TEXT NOT NULL CHECK (state IN ('marking','erasing','logged','done')),
  actor       TEXT NOT NULL,
  asked_at    INTEGER NOT NULL,
  finished_at INTEGER,                           -- when no file of the database held it any more
  receipt     TEXT NOT NULL                      -- JSON: counts, public ids
);
CREATE INDEX erasures_open ON erasures (state) WHERE state <> 'done';

CREATE TABLE erasing (                           -- what waits to be erased; a memory here is not read any more
  record     TEXT NOT NULL,                      -- memories | events | sessions
  id         INTEGER NOT NULL,
  erasure_id INTEGER NOT NULL REFERENCES erasures(id),
  PRIMARY KEY (record, id)
) WITHOUT ROWID;
CREATE INDEX erasing_by_erasure ON erasing (erasure_id, record);

-- Without these, deleting an event or a memory reads every memory of the file.
CREATE INDEX memories_by_event ON memories (event_seq) WHERE event_seq IS NOT NULL;
CREATE INDEX memories_by_successor ON memories (superseded_by) WHERE superseded_by IS NOT NULL;

-- Who the file is, and what it is known to have lost.

CREATE TABLE identity (                          -- one row: tells this memory from any other; copies share it
  id TEXT NOT NULL
);
INSERT INTO identity (id) VALUES (lower(hex(randomblob(16))));

CREATE TABLE losses (                            -- the file was found to hold less than it did; see mark.go
  id              INTEGER PRIMARY KEY AUTOINCREMENT,
  noticed_at      INTEGER NOT NULL,
  marked_at       INTEGER NOT NULL,              -- when it was last known to hold more
  gone            TEXT NOT NULL,                 -- JSON: table → {"after", "through"}, numbers of rows
  acknowledged_at INTEGER                        -- NULL until the host has taken note
);
