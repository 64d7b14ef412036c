-- Core memory: what form a block has, how far its text is trusted, and who
-- wrote each version.

-- No CHECK: adding one reads the table, and SQLite passes over what it cannot
-- read there. The code checks.
ALTER TABLE blocks ADD COLUMN kind TEXT NOT NULL DEFAULT 'text';
ALTER TABLE blocks ADD COLUMN trust INTEGER NOT NULL DEFAULT 0;

-- Every version of a block, the one that holds too.
ALTER TABLE block_history ADD COLUMN trust INTEGER NOT NULL DEFAULT 0;
ALTER TABLE block_history ADD COLUMN agent TEXT NOT NULL DEFAULT '';  -- the agent as which it was written
