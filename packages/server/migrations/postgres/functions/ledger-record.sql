-- The facts of settlements by the position of their operation.
create or replace function ledger_facts(batch jsonb)
  returns table (n bigint, upstream text, upstream_model text, status text, error_code text, prompt_tokens bigint,
    completion_tokens bigint, cached_tokens bigint, reasoning_tokens bigint, basis text, estimated int, pricing text,
    generation_id text, latency_ms bigint)
  language sql immutable rows 100 as $$
  select o.n, o.upstream, o.upstream_model, o.status, o.error_code, o.prompt_tokens, o.completion_tokens,
         o.cached_tokens, o.reasoning_tokens, o.basis, o.estimated, o.pricing, o.generation_id, o.latency_ms
    from rows from (jsonb_to_recordset(batch -> 'operations')
           as (upstream text, upstream_model text, status text, error_code text, prompt_tokens bigint,
             completion_tokens bigint, cached_tokens bigint, reasoning_tokens bigint, basis text, estimated int,
             pricing text, generation_id text, latency_ms bigint))
           with ordinality o (upstream, upstream_model, status, error_code, prompt_tokens, completion_tokens,
             cached_tokens, reasoning_tokens, basis, estimated, pricing, generation_id, latency_ms, n)
$$;

-- Writes transfers, usage records and daily totals of the holds that ended in this batch.
create or replace function ledger_record(batch jsonb, hold_ids text[], h_stored text[], h_settle int[], h_charge bigint[],
    h_write_off bigint[], h_cost bigint[], h_margin bigint[], h_recorded bigint[], h_old_charge bigint[],
    h_old_prompt bigint[], h_old_completion bigint[])
  returns void language plpgsql as $$
#variable_conflict use_column
begin
  insert into transfer (transfer_id, account_id, kind, hold_id, funding, charge, write_off, cost, margin, reason,
      created_at)
    select s.id, w.account_id, case when s.charge > 0 then 'capture' else 'write_off' end, s.id, 0, s.charge,
           s.write_off, s.cost, s.margin, null, w.ended_at
      from unnest(hold_ids, h_settle, h_charge, h_write_off, h_cost, h_margin)
             s (id, settle, charge, write_off, cost, margin)
      join hold w on w.hold_id = s.id and w.hold_id = any (hold_ids)
     where s.settle is not null and s.charge + s.write_off > 0;

  insert into usage_record (usage_id, account_id, team_id, key_id, created_at, started_at, type, model, upstream,
      upstream_model, status, error_code, stream, prompt_tokens, completion_tokens, cached_tokens, reasoning_tokens,
      charge, write_off, cost, basis, estimated, pricing, generation_id, latency_ms)
    select s.id, w.account_id, (select k.team_id from api_key k where k.key_id = w.key_id), w.key_id, s.recorded,
           w.placed_at, w.type, w.model, o.upstream, o.upstream_model, o.status, o.error_code, w.stream,
           o.prompt_tokens, o.completion_tokens, o.cached_tokens, o.reasoning_tokens, s.charge,
           s.write_off, s.cost, o.basis, o.estimated, o.pricing, o.generation_id, o.latency_ms
      from unnest(hold_ids, h_stored, h_settle, h_charge, h_write_off, h_cost, h_recorded)
             s (id, stored, settle, charge, write_off, cost, recorded)
      join ledger_facts(batch) o on o.n = s.settle
      join hold w on w.hold_id = s.id and w.hold_id = any (hold_ids)
     where s.stored is distinct from 'expired';

  insert into usage_daily as d (key_id, day, type, model, account_id, requests, charge, prompt_tokens,
      completion_tokens)
    select w.key_id, w.placed_at / 86400000, w.type, w.model, w.account_id,
           count(*) filter (where s.stored is distinct from 'expired'),
           sum(s.charge - coalesce(case when s.stored = 'expired' then s.old_charge end, 0))::bigint,
           sum(coalesce(o.prompt_tokens, 0) - coalesce(s.old_prompt, 0))::bigint,
           sum(coalesce(o.completion_tokens, 0) - coalesce(s.old_completion, 0))::bigint
      from unnest(hold_ids, h_stored, h_settle, h_charge, h_recorded, h_old_charge, h_old_prompt, h_old_completion)
             s (id, stored, settle, charge, recorded, old_charge, old_prompt, old_completion)
      join ledger_facts(batch) o on o.n = s.settle
      join hold w on w.hold_id = s.id and w.hold_id = any (hold_ids)
     group by w.key_id, w.placed_at / 86400000, w.type, w.model, w.account_id
     order by 1, 2, 3, 4
    on conflict (key_id, day, type, model) do update set
      requests = d.requests + excluded.requests, charge = d.charge + excluded.charge,
      prompt_tokens = d.prompt_tokens + excluded.prompt_tokens,
      completion_tokens = d.completion_tokens + excluded.completion_tokens;
end
$$;
