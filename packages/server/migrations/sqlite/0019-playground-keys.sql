-- The signed-in browser that a key of the playground ends with; null for every other key. The session may be gone while
-- the key's row stays for its usage records, so nothing refers. Small index: playground keys alone are in it.
alter table api_key add column session_id text;
create index api_key_by_session on api_key (created_by, session_id) where session_id is not null;
