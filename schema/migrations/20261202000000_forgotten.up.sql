-- A state for what its user asked to forget: kept, so that it can be brought
-- back, and found by no search.
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(sql, 'OR state = ''retired'')', 'OR state = ''retired'' OR state = ''forgotten'')')
WHERE type = 'table' AND name = 'memories';
PRAGMA writable_schema = RESET;
