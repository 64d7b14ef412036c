-- The full schema. Instants are INTEGER Unix
-- milliseconds, UTC. Text of users lives in events.payload, memories.content
-- and (prepared for search) chunks; nowhere else.

CREATE TABLE users (
  id          INTEGER PRIMARY KEY,
  tenant      TEXT NOT NULL,
  name        TEXT NOT NULL,
  time_zone   TEXT NOT NULL DEFAULT '',          -- IANA name; '' = Config.Location
  created_at  INTEGER NOT NULL,
  nights_through    TEXT NOT NULL DEFAULT '',    -- last consolidated local day, YYYY-MM-DD
  importance_since  REAL NOT NULL DEFAULT 0,     -- importance gathered since the last reflection
  -- Chunk ids up to this one were used and are not given again: caches of a
  -- user's text would take one text for another.
  chunk_floor       INTEGER NOT NULL DEFAULT 0,
  cycle             INTEGER NOT NULL DEFAULT 0,  -- of a team's agents; 0 = not counted
  reflected_cycle   INTEGER NOT NULL DEFAULT 0,  -- the cycle of the last reflection
  reflected_at      INTEGER,                     -- when it was; NULL = never
  UNIQUE (tenant, name)
);

CREATE TABLE watermarks (                        -- how far a stage has got through a user's memories
  user_id INTEGER NOT NULL REFERENCES users(id),
  name    TEXT NOT NULL,                         -- the stage
  through INTEGER NOT NULL,                      -- memories.id
  PRIMARY KEY (user_id, name)
) WITHOUT ROWID;

CREATE TABLE sessions (
  id         INTEGER PRIMARY KEY,
  user_id    INTEGER NOT NULL REFERENCES users(id),
  name       TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  UNIQUE (user_id, name)
);

CREATE TABLE events (
  seq         INTEGER PRIMARY KEY AUTOINCREMENT, -- never reused, or a cursor would skip
  user_id     INTEGER NOT NULL REFERENCES users(id),
  id          TEXT,                              -- idempotency key; NULL for what the bus itself reports
  topic       TEXT NOT NULL,
  agent       TEXT NOT NULL DEFAULT '',
  session     TEXT NOT NULL DEFAULT '',
  origin      TEXT NOT NULL,
  trust       INTEGER NOT NULL,
  payload     TEXT NOT NULL,
  occurred_at INTEGER NOT NULL,
  recorded_at INTEGER NOT NULL
);
CREATE UNIQUE INDEX events_by_id ON events (user_id, id) WHERE id IS NOT NULL;

CREATE TABLE consumers (
  name       TEXT PRIMARY KEY,
  cursor     INTEGER NOT NULL,                   -- events.seq handled or handed to deliveries
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
);

CREATE TABLE deliveries (                        -- only what did not succeed at first
  consumer        TEXT NOT NULL REFERENCES consumers(name) ON DELETE CASCADE,
  seq             INTEGER NOT NULL REFERENCES events(seq) ON DELETE CASCADE,
  attempts        INTEGER NOT NULL,
  next_attempt_at INTEGER,                       -- NULL = parked
  last_error      TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (consumer, seq)
) WITHOUT ROWID;
CREATE INDEX deliveries_due ON deliveries (consumer, next_attempt_at);

-- For a CHECK with a list of more than two values SQLite builds and drops a
-- table for each row that is written; comparisons cost nothing.
CREATE TABLE memories (
  id            INTEGER PRIMARY KEY AUTOINCREMENT,
  uid           TEXT NOT NULL UNIQUE,            -- UUIDv7, the public id
  user_id       INTEGER NOT NULL REFERENCES users(id),
  session_id    INTEGER REFERENCES sessions(id),
  event_seq     INTEGER REFERENCES events(seq),  -- the message an episode came from
  agent         TEXT NOT NULL DEFAULT '',
  kind          TEXT NOT NULL CHECK (kind = 'episode' OR kind = 'fact' OR kind = 'preference' OR kind = 'reflection'),
  role          TEXT NOT NULL DEFAULT '',
  speaker       TEXT NOT NULL DEFAULT '',
  content       TEXT NOT NULL,
  content_hash  TEXT NOT NULL,
  event_time    INTEGER NOT NULL,                -- when it happened
  created_at    INTEGER NOT NULL,                -- when it was learnt
  valid_from    INTEGER NOT NULL,                -- true from
  valid_until   INTEGER,                         -- true until; NULL = current
  expired_at    INTEGER,                         -- when valid_until was learnt
  superseded_by INTEGER REFERENCES memories(id),
  confidence    REAL NOT NULL CHECK (confidence BETWEEN 0 AND 1),
  importance    REAL NOT NULL CHECK (importance BETWEEN 0 AND 1),
  access_count  INTEGER NOT NULL DEFAULT 0,
  last_accessed INTEGER,
  decay_rate    REAL NOT NULL CHECK (decay_rate >= 0),
  stability     REAL NOT NULL DEFAULT 1,         -- days; power-law retention profiles
  utility       REAL NOT NULL DEFAULT 0.5,       -- 0-1; profiles that learn from use
  protected     INTEGER NOT NULL DEFAULT 0,
  pinned        INTEGER NOT NULL DEFAULT 0,
  state         TEXT NOT NULL DEFAULT 'active'
                CHECK (state = 'active' OR state = 'dormant' OR state = 'quarantined' OR state = 'superseded' OR state = 'retired' OR state = 'forgotten'),
  origin        TEXT NOT NULL,
  trust         INTEGER NOT NULL CHECK (trust BETWEEN 0 AND 4),
  subject       TEXT,
  predicate     TEXT,
  object        TEXT,
  tags          TEXT NOT NULL DEFAULT '[]',
  attributes    TEXT NOT NULL DEFAULT '{}',
  run_id        INTEGER REFERENCES runs(id),
  version       INTEGER NOT NULL DEFAULT 1       -- compare-and-swap
);
CREATE INDEX memories_by_time    ON memories (user_id, event_time, id);
CREATE INDEX memories_by_session ON memories (session_id, event_time, id);
CREATE INDEX memories_derived    ON memories (user_id, kind, state) WHERE kind <> 'episode';
CREATE INDEX memories_by_hash    ON memories (user_id, content_hash) WHERE kind <> 'episode';
CREATE INDEX memories_by_claim   ON memories (user_id, subject, predicate) WHERE subject IS NOT NULL;
CREATE INDEX memories_by_run     ON memories (run_id) WHERE run_id IS NOT NULL;
CREATE INDEX memories_tagged     ON memories (user_id) WHERE tags <> '[]';
CREATE INDEX memories_quarantined ON memories (user_id, event_time, id) WHERE state = 'quarantined';
-- Each turn asks for a user's last claim, to know whether the core section changed.
CREATE INDEX memories_claims     ON memories (user_id, id) WHERE kind <> 'episode';
CREATE INDEX memories_keyed      ON memories (user_id, id) WHERE subject IS NOT NULL OR predicate IS NOT NULL;
-- Without these, deleting an event or a memory reads every memory of the file.
CREATE INDEX memories_by_event     ON memories (event_seq) WHERE event_seq IS NOT NULL;
CREATE INDEX memories_by_successor ON memories (superseded_by) WHERE superseded_by IS NOT NULL;

CREATE TABLE memory_sources (
  memory_id INTEGER NOT NULL REFERENCES memories(id) ON DELETE CASCADE,
  source_id INTEGER NOT NULL REFERENCES memories(id) ON DELETE CASCADE,
  quote     TEXT NOT NULL DEFAULT '',
  PRIMARY KEY (memory_id, source_id)
) WITHOUT ROWID;
CREATE INDEX memory_sources_by_source ON memory_sources (source_id);

-- A chunk's id is user_id << 32 | number, so that one user's text is one range
-- of FTS5 rowids: a search is scoped inside the index, not after it.
CREATE TABLE chunks (
  id        INTEGER PRIMARY KEY,
  memory_id INTEGER NOT NULL REFERENCES memories(id) ON DELETE CASCADE,
  text      TEXT NOT NULL,                       -- prepared terms, space separated
  speaker   TEXT NOT NULL                        -- prepared terms of the speaker's name
);
CREATE INDEX chunks_by_memory ON chunks (memory_id);

CREATE VIRTUAL TABLE chunks_fts USING fts5 (
  text, speaker,
  content = 'chunks', content_rowid = 'id',
  tokenize = "unicode61 remove_diacritics 0"
);
INSERT INTO chunks_fts (chunks_fts, rank) VALUES ('secure-delete', 1);
-- The writer merges segments between commits, see textmerge.go.
INSERT INTO chunks_fts (chunks_fts, rank) VALUES ('automerge', 0);
INSERT INTO chunks_fts (chunks_fts, rank) VALUES ('usermerge', 8);  -- mergeSegments

CREATE TABLE entities (
  id            INTEGER PRIMARY KEY,
  uid           TEXT NOT NULL UNIQUE,
  user_id       INTEGER NOT NULL REFERENCES users(id),
  type          TEXT NOT NULL,
  name          TEXT NOT NULL,                   -- canonical, as first written
  summary       TEXT NOT NULL DEFAULT '',
  confidence    REAL NOT NULL DEFAULT 1,
  mention_count INTEGER NOT NULL DEFAULT 0,
  protected     INTEGER NOT NULL DEFAULT 0,
  merged_into   INTEGER REFERENCES entities(id),
  created_at    INTEGER NOT NULL
);
CREATE INDEX entities_by_user ON entities (user_id, type);

CREATE TABLE entity_aliases (
  user_id    INTEGER NOT NULL REFERENCES users(id),
  alias      TEXT NOT NULL,                      -- folded
  entity_id  INTEGER NOT NULL REFERENCES entities(id) ON DELETE CASCADE,
  surface    TEXT NOT NULL,                      -- as written
  confidence REAL NOT NULL DEFAULT 1,
  PRIMARY KEY (user_id, alias, entity_id)
) WITHOUT ROWID;
CREATE INDEX entity_aliases_by_entity ON entity_aliases (entity_id);

CREATE TABLE memory_entities (
  memory_id  INTEGER NOT NULL REFERENCES memories(id) ON DELETE CASCADE,
  entity_id  INTEGER NOT NULL REFERENCES entities(id) ON DELETE CASCADE,
  surface    TEXT NOT NULL,
  confidence REAL NOT NULL DEFAULT 1,
  PRIMARY KEY (memory_id, entity_id)
) WITHOUT ROWID;
CREATE INDEX memory_entities_by_entity ON memory_entities (entity_id, memory_id);

CREATE TABLE links (
  from_id    INTEGER NOT NULL REFERENCES memories(id) ON DELETE CASCADE,
  to_id      INTEGER NOT NULL REFERENCES memories(id) ON DELETE CASCADE,
  type       TEXT NOT NULL CHECK (type IN ('supersedes','contradicts','causes','elaborates','same_entity','related_to')),
  confidence REAL NOT NULL DEFAULT 1,
  created_at INTEGER NOT NULL,
  run_id     INTEGER REFERENCES runs(id),
  PRIMARY KEY (from_id, to_id, type)
) WITHOUT ROWID;
CREATE INDEX links_by_target ON links (to_id);

CREATE TABLE embedding_generations (              -- one embedding model at one size
  id           INTEGER PRIMARY KEY AUTOINCREMENT, -- never reused: searches keep vectors by it
  model        TEXT NOT NULL,
  dims         INTEGER NOT NULL CHECK (dims > 0),
  state        TEXT NOT NULL CHECK (state IN ('building','serving','retired')),
  created_at   INTEGER NOT NULL,
  activated_at INTEGER
);
CREATE UNIQUE INDEX embedding_generations_serving ON embedding_generations (state) WHERE state = 'serving';

-- One vector for each chunk and generation, in order of arrival: whoever keeps
-- a user's vectors in memory asks for those after the last id it has seen.
CREATE TABLE vectors (
  id         INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id    INTEGER NOT NULL REFERENCES users(id),
  chunk_id   INTEGER NOT NULL REFERENCES chunks(id) ON DELETE CASCADE,
  generation INTEGER NOT NULL REFERENCES embedding_generations(id),
  vector     BLOB NOT NULL,                      -- unit length, float32 little-endian
  UNIQUE (chunk_id, generation)
);
CREATE INDEX vectors_by_user ON vectors (user_id, id);
CREATE INDEX vectors_by_generation ON vectors (generation);

CREATE TABLE blocks (
  id         INTEGER PRIMARY KEY,
  user_id    INTEGER NOT NULL REFERENCES users(id),
  agent      TEXT NOT NULL DEFAULT '',
  name       TEXT NOT NULL,
  kind       TEXT NOT NULL DEFAULT 'text',
  content    TEXT NOT NULL,
  trust      INTEGER NOT NULL DEFAULT 0,
  version    INTEGER NOT NULL DEFAULT 1,
  updated_at INTEGER NOT NULL,
  UNIQUE (user_id, agent, name)
);

CREATE TABLE block_history (                     -- every version of a block, the current one too
  block_id   INTEGER NOT NULL REFERENCES blocks(id) ON DELETE CASCADE,
  version    INTEGER NOT NULL,
  content    TEXT NOT NULL,
  trust      INTEGER NOT NULL DEFAULT 0,
  agent      TEXT NOT NULL DEFAULT '',           -- the agent that wrote it
  actor      TEXT NOT NULL,
  at         INTEGER NOT NULL,
  PRIMARY KEY (block_id, version)
) WITHOUT ROWID;

CREATE TABLE runs (
  id          INTEGER PRIMARY KEY,
  uid         TEXT NOT NULL UNIQUE,
  user_id     INTEGER NOT NULL REFERENCES users(id),
  cause       TEXT NOT NULL,                     -- night | manual | trigger
  local_day   TEXT NOT NULL DEFAULT '',
  state       TEXT NOT NULL CHECK (state IN ('running','done','failed','undone')),
  started_at  INTEGER NOT NULL,
  finished_at INTEGER,
  stages      TEXT NOT NULL DEFAULT '[]',        -- JSON: per stage counts, costs, durations, prompt versions
  error       TEXT NOT NULL DEFAULT '',
  calls         INTEGER NOT NULL DEFAULT 0,      -- of the model
  input_tokens  INTEGER NOT NULL DEFAULT 0,
  output_tokens INTEGER NOT NULL DEFAULT 0,
  cost          REAL NOT NULL DEFAULT 0,         -- in the currency of the host's prices
  faults        INTEGER NOT NULL DEFAULT 0       -- unusable answers, failed calls
);
CREATE INDEX runs_by_user ON runs (user_id, started_at);

CREATE TABLE gaps (                              -- what a stage gave up on, to try again
  id         INTEGER PRIMARY KEY,
  uid        TEXT NOT NULL UNIQUE,
  user_id    INTEGER NOT NULL REFERENCES users(id),
  stage      TEXT NOT NULL,
  memories   TEXT NOT NULL,                      -- JSON: uids
  attempts   INTEGER NOT NULL,
  last_error TEXT NOT NULL,
  created_at INTEGER NOT NULL
);
CREATE INDEX gaps_by_user ON gaps (user_id, stage);

CREATE TABLE proposals (
  id         INTEGER PRIMARY KEY,
  uid        TEXT NOT NULL UNIQUE,
  user_id    INTEGER NOT NULL REFERENCES users(id),
  run_id     INTEGER REFERENCES runs(id),
  kind       TEXT NOT NULL,
  payload    TEXT NOT NULL,
  reason     TEXT NOT NULL DEFAULT '',
  state      TEXT NOT NULL CHECK (state IN ('pending','applied','rejected','quarantined')),
  created_at INTEGER NOT NULL,
  decided_at INTEGER,
  decided_by TEXT NOT NULL DEFAULT ''
);
CREATE INDEX proposals_by_state ON proposals (user_id, state);

CREATE TABLE ops (                               -- append-only audit; undo reads it
  id        INTEGER PRIMARY KEY AUTOINCREMENT,
  user_id   INTEGER NOT NULL REFERENCES users(id),
  run_id    INTEGER REFERENCES runs(id),
  at        INTEGER NOT NULL,
  actor     TEXT NOT NULL,
  operation TEXT NOT NULL,
  record    TEXT NOT NULL,                       -- table name
  record_id INTEGER NOT NULL,
  before    TEXT NOT NULL DEFAULT '',            -- JSON of the columns changed
  after     TEXT NOT NULL DEFAULT ''
);
CREATE INDEX ops_by_user ON ops (user_id, id);
CREATE INDEX ops_by_run ON ops (run_id) WHERE run_id IS NOT NULL;
CREATE INDEX ops_by_record ON ops (record, record_id);

CREATE TABLE injections (                        -- what a model was shown, and why
  id       INTEGER PRIMARY KEY,
  user_id  INTEGER NOT NULL REFERENCES users(id),
  event_seq INTEGER NOT NULL UNIQUE REFERENCES events(seq),
  session  TEXT NOT NULL DEFAULT '',
  channel  TEXT NOT NULL,                        -- memory | model | tool
  query    TEXT NOT NULL DEFAULT '',
  items    TEXT NOT NULL,                        -- JSON: [{uid, rank, score}]
  shown_at INTEGER NOT NULL
);
CREATE INDEX injections_by_user ON injections (user_id, shown_at);
CREATE INDEX injections_by_session ON injections (user_id, session, shown_at);

-- Erased ids, without content, so that redelivery cannot store them again. The
-- hash is of the owner's name and the id together; see tombstones.go.
CREATE TABLE tombstones (
  id_hash   TEXT NOT NULL,
  user_id   INTEGER NOT NULL REFERENCES users(id),
  erased_at INTEGER NOT NULL,
  PRIMARY KEY (id_hash, user_id)
) WITHOUT ROWID;
CREATE INDEX tombstones_by_user ON tombstones (user_id);

CREATE TABLE erasures (                          -- requests to erase, without what was erased
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
CREATE INDEX erasures_open    ON erasures (state) WHERE state <> 'done';
CREATE INDEX erasures_by_user ON erasures (user_id, id);

CREATE TABLE erasing (                           -- rows that wait to be erased; searches leave them out
  record     TEXT NOT NULL,                      -- memories | events | sessions, and what sweep.go keeps
  id         INTEGER NOT NULL,
  erasure_id INTEGER NOT NULL REFERENCES erasures(id),
  PRIMARY KEY (record, id)
) WITHOUT ROWID;
CREATE INDEX erasing_by_erasure ON erasing (erasure_id, record);

CREATE TABLE documents (                         -- files taken into memory, to re-take them on change
  id      INTEGER PRIMARY KEY,
  user_id INTEGER NOT NULL REFERENCES users(id),
  uri     TEXT NOT NULL,
  hash    TEXT NOT NULL,
  read_at INTEGER NOT NULL,
  UNIQUE (user_id, uri)
);

CREATE TABLE leases (
  name       TEXT PRIMARY KEY,
  holder     TEXT NOT NULL,
  term       INTEGER NOT NULL,                   -- fencing: grows with every change of holder
  expires_at INTEGER NOT NULL
);

CREATE TABLE failures (                          -- background failures, for memory_stats; newest per source
  source     TEXT NOT NULL,
  user_id    INTEGER NOT NULL DEFAULT 0,
  error      TEXT NOT NULL,
  count      INTEGER NOT NULL,
  first_at   INTEGER NOT NULL,
  last_at    INTEGER NOT NULL,
  PRIMARY KEY (source, user_id)
) WITHOUT ROWID;

CREATE TABLE identity (                          -- one row: tells this file from any other; each backup gets its own
  id TEXT NOT NULL
);
INSERT INTO identity (id) VALUES (lower(hex(randomblob(16))));

CREATE TABLE losses (                            -- the file was found to hold less than before; see mark.go
  id              INTEGER PRIMARY KEY AUTOINCREMENT,
  noticed_at      INTEGER NOT NULL,
  marked_at       INTEGER NOT NULL,              -- when it was last known to hold more
  gone            TEXT NOT NULL,                 -- JSON: table → {"after", "through"}, row numbers
  acknowledged_at INTEGER                        -- NULL until the host acknowledges it
);
