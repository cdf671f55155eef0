-- An account whose people have had it erased: nothing that names a person is left of it, its money rows stay (decision
-- 0161). It was closed before.
-- Oldest code that can serve this schema: 0021
alter table account add column erased_at integer check (erased_at is null or closed_at is not null);
