-- Whether another request was worked on meanwhile under the Idempotency-Key of one that is charged late. Where none
-- was, the name stays with this one: a repeated request reads that it was charged. Both wait here for the session that
-- takes the name at this moment, so that of the two exactly one is charged. Decides as the SQLite writer does.
create or replace function ledger_asked_anew(name jsonb, request text) returns boolean language plpgsql as $$
#variable_conflict use_column
declare
  owner text;
begin
  if name is null then return false; end if;
  insert into idempotent_request as r (caller_id, name_hash, body_hash, request_id, process_id, state, answer,
      expires_at)
    values (name ->> 'callerId', name ->> 'nameHash', name ->> 'bodyHash', request, name ->> 'processId', 'unkept',
      null, (name ->> 'expiresAt')::bigint)
    on conflict (caller_id, name_hash) do update set state = 'unkept'
      where r.request_id = excluded.request_id and r.state = 'running';
  select r.request_id into owner from idempotent_request r
   where r.caller_id = name ->> 'callerId' and r.name_hash = name ->> 'nameHash';
  return owner <> request;
end
$$;
