-- Names what a batch has booked for the ledger log, in the order of its operations, in one row. The SQLite writer does
-- the same in `noteForLog`.
create or replace function ledger_log_note(hold_ids text[], h_stored text[], h_settle int[], credit_ids text[],
    credit_operations int[])
  returns void language sql as $$
  insert into ledger_log_pending (entries)
    select '[' || string_agg(to_json(e.entry)::text, ',' order by e.n) || ']' from (
      select s.settle as n, case when s.stored = 'expired' then 'R' else 'r' end || s.id as entry
        from unnest(hold_ids, h_stored, h_settle) s (id, stored, settle) where s.settle is not null
      union all
      select c.n, 't' || c.id from unnest(credit_ids, credit_operations) c (id, n)) e
$$;

-- The entries that wait longest, whole rows until there are `most` of them, and the facts of each as a line: place, mark
-- and id, account, kind, revision, amount, time, reason, digest of the record, digest of what only the operator sees. Texts
-- are JSON, so that no tab and no line break is within a line. `salts` has 32 bytes for each entry that may come: the
-- second half is the operator's. An entry without its rows has no line, which the caller counts.
--
-- However much waits, this reads one portion of it and the rows of that. The entries pass through an array, of which
-- PostgreSQL expects few: it took a hundred times as many for granted as there were once a backlog was long, and read
-- the whole of `transfer` for each portion.
--
-- The digests are those of canonical JSON, members by name, as `recordDigest` and `operatorDigest` make them.
create or replace function ledger_log_next(most int, salts bytea)
  returns table (pending bigint[], entries bigint, lines text) language sql stable
  set jit = off set enable_seqscan = off as $$
  with recursive taken as (
    (select p.pending_id, p.entries::json as entries, json_array_length(p.entries::json) as until
       from ledger_log_pending p order by p.pending_id limit 1)
    union all
    select n.pending_id, n.entries, t.until + json_array_length(n.entries)
      from taken t
      cross join lateral (select p.pending_id, p.entries::json as entries from ledger_log_pending p
                           where p.pending_id > t.pending_id order by p.pending_id limit 1) n
     where t.until + json_array_length(n.entries) <= most
  ), entry as materialized (
    select a.place, left(a.entry, 1) as mark, substr(a.entry, 2) as id
      from unnest(array(select e.entry from taken t
                         cross join json_array_elements_text(t.entries) with ordinality e (entry, n)
                         order by t.pending_id, e.n)) with ordinality a (entry, place)
  ), record as materialized (
    select e.place, o.*, true as is_replaced
      from entry e join replaced_record o on o.usage_id = e.id where e.mark = 'r'
    union all
    select e.place, u.*, false
      from entry e join usage_record u on u.usage_id = e.id
     where e.mark = 'R' or (e.mark = 'r' and not exists (select from replaced_record o where o.usage_id = e.id))
  ), line as (
    select e.place, to_json(e.mark || e.id)::text || E'\t' || to_json(coalesce(u.account_id, x.account_id))::text
        || E'\t' || case when x.kind = 'capture' then 'charge' when u.usage_id is not null then 'free' else x.kind end
        || E'\t' || case e.mark when 'R' then 2 else 1 end || E'\t' || coalesce(x.funding - x.charge, 0)
        || E'\t' || coalesce(x.created_at, u.created_at) || E'\t' || coalesce(to_json(x.reason)::text, 'null') as facts,
           case when u.usage_id is not null then format(
        '{"basis":%s,"cached_tokens":%s,"charge":"%s","completion_tokens":%s,"error_code":%s,"estimated":%s,"key_id":%s,'
        '"latency_ms":%s,"model":%s,"pricing":%s,"prompt_tokens":%s,"reasoning_tokens":%s,"recorded_at":%s,'
        '"request_id":%s,"started_at":%s,"status":%s,"stream":%s,"team_id":%s,"type":%s,"upstream_model":%s,"version":1}',
        coalesce(to_json(u.basis)::text, 'null'), coalesce(u.cached_tokens::text, 'null'), u.charge,
        coalesce(u.completion_tokens::text, 'null'), coalesce(to_json(u.error_code)::text, 'null'), (u.estimated = 1)::text,
        to_json(u.key_id), coalesce(u.latency_ms::text, 'null'), to_json(u.model),
        coalesce(to_json(u.pricing)::text, 'null'), coalesce(u.prompt_tokens::text, 'null'),
        coalesce(u.reasoning_tokens::text, 'null'), u.created_at, to_json(u.usage_id), u.started_at, to_json(u.status),
        (u.stream = 1)::text, coalesce(to_json(u.team_id)::text, 'null'), to_json(u.type),
        coalesce(to_json(u.upstream_model)::text, 'null')) end as record,
           case when u.usage_id is not null then format(
        '{"cost":"%s","generation_id":%s,"margin":"%s","upstream":%s,"version":1,"write_off":"%s"}',
        coalesce(x.cost, u.cost), coalesce(to_json(u.generation_id)::text, 'null'), coalesce(x.margin, 0),
        coalesce(to_json(u.upstream)::text, 'null'), coalesce(x.write_off, u.write_off)) end as operator
      from entry e
      left join record u on u.place = e.place
      left join transfer x on x.transfer_id = e.id and (e.mark = 't') = (x.hold_id is null)
                          and u.is_replaced is distinct from true
     where u.usage_id is not null or (e.mark = 't' and x.transfer_id is not null)
  )
  select (select array_agg(pending_id) from taken), (select count(*) from entry), (select string_agg(l.place || E'\t' || l.facts || E'\t'
      || coalesce(encode(sha256(convert_to(l.record, 'UTF8')), 'hex'), '') || E'\t'
      || coalesce(encode(sha256(substr(salts, (l.place::int - 1) * 32 + 17, 16)
           || convert_to(l.operator, 'UTF8')), 'hex'), ''), E'\n' order by l.place) from line l)
$$;
