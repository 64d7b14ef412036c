-- The core section of a prompt is computed from the user's current claims and
-- kept in memory. Each turn asks whether they have changed: by the last claim,
-- the last audited change and the last erasure of the user.

CREATE INDEX memories_claims  ON memories (user_id, id) WHERE kind <> 'episode';
CREATE INDEX erasures_by_user ON erasures (user_id, id);
