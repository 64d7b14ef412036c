-- What nights with a model need: how far each stage got, what it had to leave
-- out, and what a run cost.

CREATE TABLE watermarks (                        -- how far a stage has got through a user's memories
  user_id INTEGER NOT NULL REFERENCES users(id),
  name    TEXT NOT NULL,                         -- the stage
  through INTEGER NOT NULL,                      -- memories.id
  PRIMARY KEY (user_id, name)
) WITHOUT ROWID;

INSERT INTO watermarks (user_id, name, through) SELECT id, 'extract', extracted_through FROM users WHERE extracted_through > 0;

ALTER TABLE users DROP COLUMN extracted_through;

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

ALTER TABLE runs ADD COLUMN calls INTEGER NOT NULL DEFAULT 0;         -- of the model
ALTER TABLE runs ADD COLUMN input_tokens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN output_tokens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN cost REAL NOT NULL DEFAULT 0;             -- in the currency of the host's prices
ALTER TABLE runs ADD COLUMN faults INTEGER NOT NULL DEFAULT 0;        -- answers that could not be used, calls that failed

-- The last chunk that was removed with its memory: ids are not given again, or
-- whoever keeps text in memory would take one text for another.
ALTER TABLE users ADD COLUMN chunk_floor INTEGER NOT NULL DEFAULT 0;
