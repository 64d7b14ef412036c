-- The full schema from the first migration. Instants are INTEGER Unix
-- milliseconds, UTC. Text of users lives in events.payload, memories.content
-- and (prepared for search) chunks; nowhere else.

CREATE TABLE users (
  id          INTEGER PRIMARY KEY,
  tenant      TEXT NOT NULL,
  name        TEXT NOT NULL,
  time_zone   TEXT NOT NULL DEFAULT '',          -- IANA name; '' = Config.Location
  created_at  INTEGER NOT NULL,
  extracted_through INTEGER NOT NULL DEFAULT 0,  -- memories.id watermark of the night's extract stage
  nights_through    TEXT NOT NULL DEFAULT '',    -- last consolidated local day, YYYY-MM-DD
  importance_since  REAL NOT NULL DEFAULT 0,     -- importance gathered since the last reflection
  UNIQUE (tenant, name)
);

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

CREATE TABLE memories (
  id            INTEGER PRIMARY KEY AUTOINCREMENT,
  uid           TEXT NOT NULL UNIQUE,            -- UUIDv7, the public id
  user_id       INTEGER NOT NULL REFERENCES users(id),
  session_id    INTEGER REFERENCES sessions(id),
  event_seq     INTEGER REFERENCES events(seq),  -- the message an episode came from
  agent         TEXT NOT NULL DEFAULT '',
  kind          TEXT NOT NULL CHECK (kind IN ('episode','fact','preference','reflection')),
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
                CHECK (state IN ('active','dormant','quarantined','superseded','retired')),
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
  weight     REAL NOT NULL DEFAULT 1,
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
  content    TEXT NOT NULL,
  version    INTEGER NOT NULL DEFAULT 1,
  updated_at INTEGER NOT NULL,
  UNIQUE (user_id, agent, name)
);

CREATE TABLE block_history (
  block_id   INTEGER NOT NULL REFERENCES blocks(id) ON DELETE CASCADE,
  version    INTEGER NOT NULL,
  content    TEXT NOT NULL,
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
  error       TEXT NOT NULL DEFAULT ''
);
CREATE INDEX runs_by_user ON runs (user_id, started_at);

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

CREATE TABLE confirmations (                     -- protection waiting for the host's word
  id         INTEGER PRIMARY KEY,
  uid        TEXT NOT NULL UNIQUE,
  user_id    INTEGER NOT NULL REFERENCES users(id),
  memory_id  INTEGER NOT NULL REFERENCES memories(id) ON DELETE CASCADE,
  shown      TEXT NOT NULL,                      -- the text the question was about
  token_hash TEXT NOT NULL DEFAULT '',
  state      TEXT NOT NULL CHECK (state IN ('pending','granted','refused')),
  created_at INTEGER NOT NULL,
  decided_at INTEGER
);
CREATE INDEX confirmations_by_state ON confirmations (user_id, state);

CREATE TABLE tombstones (                        -- erased ids, without content, so redelivery cannot resurrect
  user_id   INTEGER NOT NULL REFERENCES users(id),
  id_hash   TEXT NOT NULL,
  erased_at INTEGER NOT NULL,
  PRIMARY KEY (user_id, id_hash)
) WITHOUT ROWID;

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
