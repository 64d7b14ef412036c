-- Vectors for the extension pgvector, 0.5 or later, which searches of users whose vectors are
-- not in a host's memory then use. It is optional. Run it as the owner of the tables, once
-- they exist:
--
--   psql "$OWNER_DSN" -v ON_ERROR_STOP=1 -c 'SET search_path = ebb' -f pgvector.sql
--
-- Each vector takes its size again on disk. What is erased goes from here too.

CREATE EXTENSION IF NOT EXISTS vector;
SELECT set_config('search_path', current_schema() || ', ' || quote_ident(n.nspname), false)
FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace WHERE e.extname = 'vector';

CREATE TABLE IF NOT EXISTS embeddings (
  vector_id  bigint PRIMARY KEY REFERENCES vectors(id) ON DELETE CASCADE,
  user_id    bigint NOT NULL,
  generation bigint NOT NULL,
  embedding  vector NOT NULL
);
CREATE INDEX IF NOT EXISTS embeddings_by_user ON embeddings (user_id, generation);

-- ebb_vector reads numbers of float32, little-endian.
CREATE OR REPLACE FUNCTION ebb_vector(stored bytea) RETURNS vector LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
RETURN (
  SELECT array_agg((CASE WHEN bits < 0 THEN -1 ELSE 1 END * CASE WHEN exponent = 0 THEN fraction * power(2::double precision, -149)
      ELSE (8388608 + fraction) * power(2::double precision, exponent - 150) END)::real ORDER BY i)::vector
  FROM (SELECT i, bits, bits >> 23 & 255 AS exponent, bits & 8388607 AS fraction
    FROM (SELECT i, get_byte(stored, 4 * i) | get_byte(stored, 4 * i + 1) << 8 | get_byte(stored, 4 * i + 2) << 16 | get_byte(stored, 4 * i + 3) << 24 AS bits
      FROM generate_series(0, length(stored) / 4 - 1) AS i) AS words) AS parts
);

CREATE OR REPLACE FUNCTION ebb_embed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO embeddings (vector_id, user_id, generation, embedding) VALUES (NEW.id, NEW.user_id, NEW.generation, ebb_vector(NEW.vector))
  ON CONFLICT (vector_id) DO UPDATE SET user_id = excluded.user_id, generation = excluded.generation, embedding = excluded.embedding;
  RETURN NULL;
END $$;
CREATE OR REPLACE TRIGGER vectors_embed AFTER INSERT OR UPDATE ON vectors FOR EACH ROW EXECUTE FUNCTION ebb_embed();

INSERT INTO embeddings (vector_id, user_id, generation, embedding)
SELECT id, user_id, generation, ebb_vector(vector) FROM vectors ON CONFLICT DO NOTHING;

-- ebb_nearest compares all vectors of a user, so it finds the nearest, and none of another's.
CREATE OR REPLACE FUNCTION ebb_nearest(of_user bigint, of_generation bigint, query text, most bigint)
RETURNS TABLE (id bigint, mean double precision, deviation double precision) LANGUAGE sql STABLE
BEGIN ATOMIC
  WITH asked AS (SELECT query::vector AS v),
    compared AS MATERIALIZED (SELECT e.vector_id, 1 - (e.embedding <=> asked.v) AS cosine FROM embeddings e, asked
      WHERE e.user_id = of_user AND e.generation = of_generation),
    usual AS (SELECT avg(cosine) AS mean, stddev_pop(cosine) AS deviation FROM compared)
  SELECT compared.vector_id, usual.mean, usual.deviation FROM compared, usual ORDER BY compared.cosine DESC, compared.vector_id LIMIT most;
END;

-- Roles of roles.sql, if there are any.
DO $$
BEGIN
  IF EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'ebb_host') THEN
    GRANT SELECT, INSERT, UPDATE, DELETE ON embeddings TO ebb_host;
  END IF;
END $$;
