-- Roles with least rights for a memory on a server, and row-level security by tenant.
-- Run it as the owner of the tables, once they exist and after each migration:
--
--   psql "$OWNER_DSN" -v ON_ERROR_STOP=1 -c 'SET search_path = ebb' -f roles.sql
--
-- Three kinds of roles:
--   the owner, who makes and migrates the tables; not row by row restricted;
--   members of ebb_host, the hosts: all rows of all tenants, no tables;
--   members of ebb_tenant, each for the tenants that ebb_tenants lists for it.
--
-- A new host:     CREATE ROLE host_1 LOGIN PASSWORD '…' IN ROLE ebb_host;
-- A new tenant:   CREATE ROLE acme LOGIN PASSWORD '…' IN ROLE ebb_tenant;
--                 INSERT INTO ebb_tenants (role, tenant) VALUES ('acme', 'acme');
--
-- A process of a tenant's role publishes and searches for that tenant, with
-- Config.NoBackground: consumers and nights work for all users, so they are the hosts'.

SET client_min_messages = warning;

DO $$
BEGIN
  IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'ebb_host') THEN
    CREATE ROLE ebb_host NOLOGIN;
  END IF;
  IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'ebb_tenant') THEN
    CREATE ROLE ebb_tenant NOLOGIN;
  END IF;
END $$;

CREATE TABLE IF NOT EXISTS ebb_tenants (
  role   name NOT NULL,
  tenant text COLLATE "C" NOT NULL,
  PRIMARY KEY (role, tenant)
);

DO $$
DECLARE
  here text := current_schema();
  t record;
  rule text;
BEGIN
  EXECUTE format('GRANT USAGE ON SCHEMA %I TO ebb_host, ebb_tenant', here);
  EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA %I TO ebb_host', here);
  EXECUTE format('REVOKE INSERT, UPDATE, DELETE ON ebb_version, ebb_tenants, identity FROM ebb_host');
  EXECUTE format('GRANT USAGE ON ALL SEQUENCES IN SCHEMA %I TO ebb_host, ebb_tenant', here);

  FOR t IN SELECT c.oid::regclass AS name, c.relname FROM pg_class c WHERE c.relnamespace = here::regnamespace AND c.relkind = 'r' LOOP
    rule := CASE
      WHEN t.relname = 'users' THEN 'EXISTS (SELECT 1 FROM ebb_tenants AS mine WHERE mine.role = current_user AND mine.tenant = users.tenant)'
      WHEN t.relname = 'chunks' THEN 'EXISTS (SELECT 1 FROM users WHERE users.id = chunks.id >> 32)'
      WHEN t.relname IN ('memory_sources', 'memory_entities') THEN format('EXISTS (SELECT 1 FROM memories WHERE memories.id = %s.memory_id)', t.relname)
      WHEN t.relname = 'links' THEN 'EXISTS (SELECT 1 FROM memories WHERE memories.id = links.from_id)'
      WHEN t.relname = 'block_history' THEN 'EXISTS (SELECT 1 FROM blocks WHERE blocks.id = block_history.block_id)'
      WHEN t.relname = 'erasing' THEN 'EXISTS (SELECT 1 FROM erasures WHERE erasures.id = erasing.erasure_id)'
      WHEN EXISTS (SELECT 1 FROM pg_attribute WHERE attrelid = t.name AND attname = 'user_id') THEN format('EXISTS (SELECT 1 FROM users WHERE users.id = %s.user_id)', t.relname)
    END;
    IF rule IS NULL THEN
      -- Of the whole memory. What holds texts of events is not for tenants.
      IF t.relname IN ('ebb_version', 'ebb_tenants', 'numbering', 'identity', 'losses', 'leases', 'embedding_generations', 'consumers') THEN
        EXECUTE format('GRANT SELECT ON %s TO ebb_tenant', t.name);
      END IF;
      CONTINUE;
    END IF;
    EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %s TO ebb_tenant', t.name);
    EXECUTE format('ALTER TABLE %s ENABLE ROW LEVEL SECURITY', t.name);
    EXECUTE format('DROP POLICY IF EXISTS ebb_host ON %s', t.name);
    EXECUTE format('CREATE POLICY ebb_host ON %s TO ebb_host USING (true)', t.name);
    EXECUTE format('DROP POLICY IF EXISTS ebb_tenant ON %s', t.name);
    EXECUTE format('CREATE POLICY ebb_tenant ON %s TO ebb_tenant USING (%s)', t.name, rule);
  END LOOP;
END $$;
