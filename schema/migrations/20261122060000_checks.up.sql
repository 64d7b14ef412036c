-- For each CHECK with a list of more than two values SQLite makes a table of
-- its own, fills it with them and drops it: again for each row that is written.
-- Comparisons say the same. The tables stay as they are, so that whoever has
-- read the schema before may go on with it.
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(replace(sql,
  '(kind IN (''episode'',''fact'',''preference'',''reflection''))',
  '(kind = ''episode'' OR kind = ''fact'' OR kind = ''preference'' OR kind = ''reflection'')'),
  '(state IN (''active'',''dormant'',''quarantined'',''superseded'',''retired''))',
  '(state = ''active'' OR state = ''dormant'' OR state = ''quarantined'' OR state = ''superseded'' OR state = ''retired'')')
WHERE type = 'table' AND name = 'memories';
PRAGMA writable_schema = RESET;
