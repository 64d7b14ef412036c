-- A team's clock: which cycle a user's agents are in, and where the last
-- reflection stood.

ALTER TABLE users ADD COLUMN cycle INTEGER NOT NULL DEFAULT 0;            -- 0 = nobody counts
ALTER TABLE users ADD COLUMN reflected_cycle INTEGER NOT NULL DEFAULT 0;  -- the cycle of the last reflection
ALTER TABLE users ADD COLUMN reflected_at INTEGER;                        -- when it was; NULL = never
