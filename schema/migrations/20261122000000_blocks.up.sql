-- Core memory: what form a block has, how far its text is trusted, and who
-- wrote each version.

ALTER TABLE blocks ADD COLUMN kind TEXT NOT NULL DEFAULT 'text' CHECK (kind IN ('text','list','fields','records'));
ALTER TABLE blocks ADD COLUMN trust INTEGER NOT NULL DEFAULT 0 CHECK (trust BETWEEN 0 AND 4);

-- Every version of a block, the one that holds too.
ALTER TABLE block_history ADD COLUMN trust INTEGER NOT NULL DEFAULT 0 CHECK (trust BETWEEN 0 AND 4);
ALTER TABLE block_history ADD COLUMN agent TEXT NOT NULL DEFAULT '';  -- the agent as which it was written
