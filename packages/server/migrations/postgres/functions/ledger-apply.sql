-- Whether the id of a credit is used, in this batch or before it: null where it is not, `same` where it is this very
-- credit, else the answer that tells the facts of the other one.
create or replace function ledger_credit_before(batch jsonb, account_ids text[], credit_ids text[],
    credit_operations int[], n int)
  returns text language plpgsql stable as $$
declare
  asked jsonb := batch -> 'operations' -> (n - 1);
  earlier jsonb := batch -> 'operations' -> (credit_operations[array_position(credit_ids, asked ->> 'id')] - 1);
  facts jsonb; before jsonb;
begin
  facts := jsonb_build_array('id_taken', account_ids[(asked ->> 'account')::int], asked ->> 'source',
    asked ->> 'amount', asked ->> 'reason');
  if earlier is not null then
    before := jsonb_build_array('id_taken', account_ids[(earlier ->> 'account')::int], earlier ->> 'source',
      earlier ->> 'amount', earlier ->> 'reason');
  else
    select jsonb_build_array('id_taken', x.account_id, x.kind, x.funding::text, x.reason) into before
      from transfer x where x.transfer_id = asked ->> 'id';
  end if;
  return case when before = facts then 'same' else before::text end;
end
$$;

-- Applies a batch of money operations in one round trip, each with its own result. Decides as the SQLite writer
-- does.
--
-- The batch names its holds, accounts, budgets and keys once; operations refer to them by position (from 1). Rows
-- are locked first, in a fixed order: balances by account_id, budgets by budget_id, holds by hold_id. Then
-- operations are decided in order on arrays in memory, and each changed row is written once. No operation can fail
-- the others: conditions decide. Plans are made once: planning each statement for each batch costs more than running
-- it. They are made while tables are small and kept while tables grow, so every table is entered by an index on
-- listed ids, and sequential scans are off. No session waits long for a row that another has locked: the caller asks
-- `ledger_blocked` which it is, and goes on without it.
create or replace function ledger_apply(batch jsonb) returns text language plpgsql
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off set lock_timeout = '750ms' as $$
#variable_conflict use_column
declare
  operation record;
  results text[] := '{}';
  hold_ids text[] := array(select jsonb_array_elements_text(batch -> 'holds'));
  account_ids text[] := array(select jsonb_array_elements_text(batch -> 'accounts'));
  budget_ids text[] := array(select jsonb_array_elements_text(batch -> 'budgets'));
  key_ids text[] := array(select jsonb_array_elements_text(batch -> 'keys'));

  a_posted bigint[]; a_held bigint[]; a_active boolean[]; a_changed boolean[];
  b_limit bigint[]; b_period text[];
  -- The periods of the budgets, `w_count` for each, in the order of `w_starts`.
  w_starts bigint[] := array(select x::bigint from jsonb_array_elements_text(batch -> 'starts') x);
  w_count int; w_limit bigint[]; w_spent bigint[]; w_reserved bigint[]; w_changed boolean[];
  k_account text[]; k_expires bigint[]; k_revoked boolean[]; k_mirrors bigint;
  h_stored text[]; h_state text[]; h_account int[]; h_key int[]; h_team int[]; h_budget int[];
  h_team_start bigint[]; h_budget_start bigint[]; h_process text[]; h_amount bigint[]; h_first bigint[]; h_limit bigint[];
  h_ended bigint[]; h_progress text[]; h_changed boolean[]; h_place int[]; h_settle int[];
  h_charge bigint[]; h_write_off bigint[]; h_cost bigint[]; h_margin bigint[]; h_recorded bigint[];
  h_old_charge bigint[]; h_old_prompt bigint[]; h_old_completion bigint[];
  credit_operations int[] := '{}'; credit_ids text[] := '{}';
  e_hold text[] := '{}'; e_amount bigint[] := '{}'; e_added bigint[] := '{}'; e_at bigint[] := '{}';

  n int := 0; h int; a int; t int; b int; entry int;
  available bigint; giver text; tightest text; size bigint; units bigint; pays bigint; freed bigint; small bigint;
  charge bigint; owed bigint;
  team_from bigint; key_from bigint; refusal text; is_late boolean; progress text; taken text;
begin
  -- What the holds of earlier batches belong to never changes, so it can be read before anything is locked.
  select account_ids || array(select distinct x from unnest(array_agg(f.account_id)) x where x <> all (account_ids)),
         key_ids || array(select distinct x from unnest(array_agg(f.key_id)) x where x <> all (key_ids)),
         budget_ids || array(
           select distinct x from unnest(array_agg(f.team_budget_id) || array_agg(f.key_budget_id)) x
            where x is not null and x <> all (budget_ids))
    into account_ids, key_ids, budget_ids
    from hold f where f.hold_id = any (hold_ids);

  select array_agg(l.posted order by i.n), array_agg(l.held order by i.n), array_agg(false),
         array_agg(c.status = 'active' order by i.n)
    into a_posted, a_held, a_changed, a_active
    from unnest(account_ids) with ordinality i (id, n)
    left join (select * from balance where account_id = any (account_ids) order by account_id for update) l
      on l.account_id = i.id
    left join account c on c.account_id = i.id and c.account_id = any (account_ids);

  -- A session that has a budget's row has its periods.
  -- None of them counts more than a column holds, with the largest operation on top.
  select array_agg(least(l.limit_nanocredits, 8000000000000000000) order by i.n), array_agg(l.period order by i.n)
    into b_limit, b_period
    from unnest(budget_ids) with ordinality i (id, n)
    left join (select * from budget where budget_id = any (budget_ids) order by budget_id for update) l
      on l.budget_id = i.id;

  select array_agg(l.state order by i.n), array_agg(l.state order by i.n),
         array_agg(array_position(account_ids, l.account_id) order by i.n),
         array_agg(array_position(key_ids, l.key_id) order by i.n),
         array_agg(array_position(budget_ids, l.team_budget_id) order by i.n),
         array_agg(array_position(budget_ids, l.key_budget_id) order by i.n),
         array_agg(l.team_window_start order by i.n), array_agg(l.key_window_start order by i.n),
         array_agg(l.process_id order by i.n), array_agg(l.amount order by i.n),
         array_agg(l.first_amount order by i.n), array_agg(l.limit_units order by i.n),
         array_agg(l.ended_at order by i.n), array_agg(l.progress order by i.n), array_agg(false),
         array_agg(null::int), array_agg(null::int), array_agg(null::bigint), array_agg(null::bigint),
         array_agg(null::bigint), array_agg(null::bigint), array_agg(u.created_at order by i.n),
         array_agg(u.charge order by i.n), array_agg(u.prompt_tokens order by i.n),
         array_agg(u.completion_tokens order by i.n)
    into h_stored, h_state, h_account, h_key, h_team, h_budget, h_team_start, h_budget_start, h_process, h_amount,
         h_first, h_limit, h_ended, h_progress, h_changed, h_place, h_settle, h_charge, h_write_off, h_cost, h_margin,
         h_recorded, h_old_charge, h_old_prompt, h_old_completion
    from unnest(hold_ids) with ordinality i (id, n)
    left join (select * from hold where hold_id = any (hold_ids) order by hold_id for update) l on l.hold_id = i.id
    left join usage_record u on u.usage_id = i.id and u.usage_id = any (hold_ids);

  w_starts := w_starts || array(select distinct x from unnest(h_team_start || h_budget_start) x
                                 where x is not null and x <> all (w_starts));
  w_count := cardinality(w_starts);
  select array_agg(b_limit[i.n] order by i.n, s.n), array_agg(coalesce(w.spent, 0) order by i.n, s.n),
         array_agg(coalesce(w.reserved, 0) order by i.n, s.n), array_agg(false)
    into w_limit, w_spent, w_reserved, w_changed
    from unnest(budget_ids) with ordinality i (id, n)
    cross join unnest(w_starts) with ordinality s (start, n)
    left join budget_window w
      on w.budget_id = i.id and w.window_start = s.start and w.budget_id = any (budget_ids)
         and w.window_start = any (w_starts);

  select array_agg(l.account_id order by i.n), array_agg(least(l.expires_at, l.rotate_by) order by i.n),
         array_agg(l.revoked_at is not null order by i.n), count(l.mirrored_by)
    into k_account, k_expires, k_revoked, k_mirrors
    from unnest(key_ids) with ordinality i (id, n)
    left join api_key l on l.key_id = i.id and l.key_id = any (key_ids);

  -- A mirrored key ends with each key through which it came.
  if k_mirrors > 0 then
    with recursive chain (n, mirrored_by, expires_at, is_revoked) as (
      select i.n, l.mirrored_by, k_expires[i.n], k_revoked[i.n]
        from unnest(key_ids) with ordinality i (id, n)
        left join api_key l on l.key_id = i.id and l.key_id = any (key_ids)
      union all
      select c.n, l.mirrored_by, least(l.expires_at, l.rotate_by), l.revoked_at is not null
        from chain c join api_key l on l.key_id = c.mirrored_by)
    select array_agg(e.expires_at order by e.n), array_agg(e.is_revoked order by e.n)
      into k_expires, k_revoked
      from (select c.n, min(c.expires_at) as expires_at, bool_or(c.is_revoked) as is_revoked
              from chain c group by c.n) e;
  end if;

  -- A hold that appeared after the first look belongs to a batch that was sent twice: the next attempt sees it whole.
  for entry in 1 .. cardinality(hold_ids) loop
    if h_stored[entry] is not null and h_account[entry] is null then
      raise exception 'a hold appeared while its batch was applied' using errcode = 'serialization_failure';
    end if;
  end loop;

  for operation in
    select * from jsonb_to_recordset(batch -> 'operations') as o (
      kind text, id text, hold int, account int, key int, team int, budget int, process text, fixed bigint,
      per_unit bigint, units bigint, full_amount bigint, policy text, first_units bigint, now bigint, day bigint,
      week bigint, month bigint, outcome text, charge bigint, cost bigint, lost bigint, most bigint, amount bigint,
      lease_until bigint, entries jsonb, name jsonb)
  loop
    n := n + 1;
    h := operation.hold;

    if operation.kind = 'place' or operation.kind = 'extend' then
      if operation.kind = 'place' and h_state[h] is not null then
        units := case when h_amount[h] < operation.fixed then 0 when operation.per_unit = 0 then operation.units
                      else least((h_amount[h] - operation.fixed) / operation.per_unit, operation.units) end;
        results[n] := format('["placed","%s",%s,%s]', h_amount[h], units, coalesce(h_limit[h]::text, 'null'));
        continue;
      end if;
      if operation.kind = 'extend' and h_state[h] is distinct from 'held' then
        results[n] := '["refused","hold_ended"]';
        continue;
      end if;

      if operation.kind = 'place' then
        a := operation.account; entry := operation.key; t := operation.team; b := operation.budget;
      else
        a := h_account[h]; entry := h_key[h]; t := h_team[h]; b := h_budget[h];
      end if;
      refusal := case
        when k_account[entry] is distinct from account_ids[a] or k_revoked[entry] then 'key_revoked'
        when k_expires[entry] <= operation.now then 'key_expired'
        when a_posted[a] is null or not a_active[a] then 'account_suspended'
        when (t is not null and b_period[t] is null) or (b is not null and b_period[b] is null) then 'key_revoked'
      end;
      if refusal is not null then
        results[n] := format('["refused","%s"]', refusal);
        continue;
      end if;

      -- From here on `t` and `b` are periods of the budgets.
      if operation.kind = 'place' then
        team_from := case b_period[t] when 'daily' then operation.day when 'weekly' then operation.week
                                      when 'monthly' then operation.month else 0 end;
        key_from := case b_period[b] when 'daily' then operation.day when 'weekly' then operation.week
                                     when 'monthly' then operation.month else 0 end;
      else
        team_from := h_team_start[h]; key_from := h_budget_start[h];
      end if;
      t := (t - 1) * w_count + array_position(w_starts, team_from);
      b := (b - 1) * w_count + array_position(w_starts, key_from);

      available := a_posted[a] - a_held[a];
      tightest := 'account';
      if t is not null and w_limit[t] - w_spent[t] - w_reserved[t] < available then
        available := w_limit[t] - w_spent[t] - w_reserved[t];
        tightest := 'team';
      end if;
      if b is not null and w_limit[b] - w_spent[b] - w_reserved[b] < available then
        available := w_limit[b] - w_spent[b] - w_reserved[b];
        tightest := 'key';
      end if;
      available := greatest(available, 0);

      if operation.kind = 'extend' then
        pays := h_amount[h] + available;
        units := case when pays < operation.fixed then 0 when operation.per_unit = 0 then operation.units
                      else least((pays - operation.fixed) / operation.per_unit, operation.units) end;
        size := operation.fixed + operation.per_unit * units;
        if size > h_amount[h] and size <= pays then
          size := size - h_amount[h];
          a_held[a] := a_held[a] + size; a_changed[a] := true;
          if t is not null then w_reserved[t] := w_reserved[t] + size; w_changed[t] := true; end if;
          if b is not null then w_reserved[b] := w_reserved[b] + size; w_changed[b] := true; end if;
          h_first[h] := coalesce(h_first[h], h_amount[h]);
          h_amount[h] := h_amount[h] + size; h_changed[h] := true;
          e_hold := e_hold || hold_ids[h]; e_amount := e_amount || h_amount[h]; e_added := e_added || size;
          e_at := e_at || operation.now;
        end if;
        units := case when h_amount[h] < operation.fixed then 0 when operation.per_unit = 0 then operation.units
                      else least((h_amount[h] - operation.fixed) / operation.per_unit, operation.units) end;
        results[n] := format('["extended","%s",%s]', h_amount[h], units);
        continue;
      end if;

      size := null;
      units := operation.units;
      pays := null;
      if operation.policy = 'exact' or operation.per_unit = 0 then
        if operation.full_amount <= available then size := operation.full_amount; end if;
      elsif operation.full_amount <= available / 4 then
        size := operation.full_amount;
      else
        pays := case when available < operation.fixed then 0
                     else least((available - operation.fixed) / operation.per_unit, operation.units) end;
        if operation.policy = 'affordable' then
          freed := available - available / 16;
          small := case when freed < operation.fixed then 0
                     else least((freed - operation.fixed) / operation.per_unit, operation.units) end;
          freed := available - available / 2;
          pays := greatest(least(pays, 1), least(small, operation.first_units), case when freed < operation.fixed then 0
                     else least((freed - operation.fixed) / operation.per_unit, operation.units) end);
        end if;
        if pays >= 1 then
          units := case when operation.policy = 'affordable' then pays
                        else least(operation.first_units, greatest(1, (pays + 1) / 2)) end;
          size := operation.fixed + operation.per_unit * units;
        end if;
        if pays >= operation.units then pays := null; end if;
      end if;

      if size is null then
        results[n] := format('["insufficient","%s","%s","%s",%s]', tightest,
          case when operation.policy = 'exact' then operation.full_amount
               else operation.fixed + operation.per_unit end,
          available,
          case when operation.per_unit = 0 or available < operation.fixed then 0
               else least((available - operation.fixed) / operation.per_unit, operation.units) end);
        continue;
      end if;
      a_held[a] := a_held[a] + size; a_changed[a] := true;
      if t is not null then w_reserved[t] := w_reserved[t] + size; w_changed[t] := true; end if;
      if b is not null then w_reserved[b] := w_reserved[b] + size; w_changed[b] := true; end if;
      h_state[h] := 'held'; h_account[h] := a; h_key[h] := operation.key; h_process[h] := operation.process;
      h_team[h] := operation.team; h_team_start[h] := case when t is not null then team_from end;
      h_budget[h] := operation.budget; h_budget_start[h] := case when b is not null then key_from end;
      h_amount[h] := size; h_limit[h] := pays; h_place[h] := n;
      results[n] := format('["placed","%s",%s,%s]', size, units, coalesce(pays::text, 'null'));

    elsif operation.kind = 'settle' then
      if h_state[h] is null then
        results[n] := '["gone"]';
        continue;
      end if;
      -- A sweep knew of no charge and of no loss: what is learnt of either later takes its place.
      is_late := h_state[h] = 'expired' and (operation.outcome = 'captured' or operation.lost > 0);
      if h_state[h] <> 'held' and not is_late then
        results[n] := format('["already_settled","%s"]', coalesce(h_charge[h], h_old_charge[h], 0));
        continue;
      end if;
      a := h_account[h];
      t := (h_team[h] - 1) * w_count + array_position(w_starts, h_team_start[h]);
      b := (h_budget[h] - 1) * w_count + array_position(w_starts, h_budget_start[h]);
      available := a_posted[a] - a_held[a];
      if t is not null then available := least(available, w_limit[t] - w_spent[t] - w_reserved[t]); end if;
      if b is not null then available := least(available, w_limit[b] - w_spent[b] - w_reserved[b]); end if;
      freed := case when is_late then 0 else h_amount[h] end;
      charge := case when is_late and operation.outcome = 'captured' and ledger_asked_anew(operation.name, hold_ids[h]) then 0
                     else least(operation.charge, operation.most, freed + greatest(available, 0)) end;
      owed := greatest(operation.charge, operation.cost - operation.lost) + operation.lost;
      a_posted[a] := a_posted[a] - charge; a_held[a] := a_held[a] - freed; a_changed[a] := true;
      if t is not null then
        w_spent[t] := w_spent[t] + charge; w_reserved[t] := greatest(w_reserved[t] - freed, 0); w_changed[t] := true;
      end if;
      if b is not null then
        w_spent[b] := w_spent[b] + charge; w_reserved[b] := greatest(w_reserved[b] - freed, 0); w_changed[b] := true;
      end if;
      if not is_late then h_recorded[h] := operation.now; end if;
      h_state[h] := operation.outcome; h_ended[h] := operation.now; h_progress[h] := null; h_changed[h] := true;
      h_settle[h] := n; h_charge[h] := charge; h_write_off[h] := owed - charge; h_cost[h] := operation.cost;
      h_margin[h] := owed - operation.cost;
      results[n] := format('["settled","%s","%s"]', charge, owed - charge);

    elsif operation.kind = 'credit' then
      a := operation.account;
      taken := ledger_credit_before(batch, account_ids, credit_ids, credit_operations, n);
      giver := batch -> 'operations' -> (n - 1) ->> 'operator';
      if giver is not null and not exists (select from operator where user_id = giver) then
        results[n] := '["not_operator"]';
      elsif a_posted[a] is null then
        results[n] := '["unknown_account"]';
      elsif taken is not null then
        results[n] := case taken when 'same' then format('["already_credited","%s"]', a_posted[a]) else taken end;
      elsif a_posted[a] - a_held[a] + operation.amount < 0 then
        results[n] := format('["insufficient_credit","%s"]', a_posted[a] - a_held[a]);
      elsif a_posted[a] + operation.amount > 4000000000000000000 then
        results[n] := '["too_large","4000000000000000000"]';
      else
        a_posted[a] := a_posted[a] + operation.amount; a_changed[a] := true;
        credit_ids := credit_ids || operation.id; credit_operations := credit_operations || n;
        results[n] := format('["credited","%s"]', a_posted[a]);
      end if;

    else
      insert into process_lease (process_id, node_name, started_at, lease_until)
        values (operation.process, '', operation.now, operation.lease_until)
        on conflict (process_id) do update set lease_until = excluded.lease_until;
      for h, progress in select (e ->> 0)::int, e ->> 1 from jsonb_array_elements(operation.entries) e loop
        if h_state[h] = 'held' and h_process[h] = operation.process then
          h_progress[h] := progress; h_changed[h] := true;
        end if;
      end loop;
      results[n] := '["journaled"]';
    end if;
  end loop;

  -- The record of an expired hold may be replaced only while its hold is still expired, so this comes before the holds.
  if 'expired' = any (h_stored) then
    insert into replaced_record (usage_id, account_id, team_id, key_id, created_at, started_at, type, model, upstream,
        upstream_model, status, error_code, stream, prompt_tokens, completion_tokens, cached_tokens, reasoning_tokens,
        charge, write_off, cost, basis, estimated, pricing, generation_id, latency_ms)
      select u.usage_id, u.account_id, u.team_id, u.key_id, u.created_at, u.started_at, u.type, u.model, u.upstream,
             u.upstream_model, u.status, u.error_code, u.stream, u.prompt_tokens, u.completion_tokens, u.cached_tokens,
             u.reasoning_tokens, u.charge, u.write_off, u.cost, u.basis, u.estimated, u.pricing, u.generation_id,
             u.latency_ms
        from usage_record u
       where u.usage_id = any (hold_ids)
         and u.usage_id in (select s.id from unnest(hold_ids, h_stored, h_settle) s (id, stored, settle)
                             where s.stored = 'expired' and s.settle is not null);
    update usage_record u set
        upstream = o.upstream, upstream_model = o.upstream_model, status = o.status, error_code = o.error_code,
        prompt_tokens = o.prompt_tokens, completion_tokens = o.completion_tokens, cached_tokens = o.cached_tokens,
        reasoning_tokens = o.reasoning_tokens, charge = s.charge, write_off = s.write_off, cost = s.cost,
        basis = o.basis, estimated = o.estimated, pricing = o.pricing, generation_id = o.generation_id,
        latency_ms = o.latency_ms
      from unnest(hold_ids, h_stored, h_settle, h_charge, h_write_off, h_cost)
             s (id, stored, settle, charge, write_off, cost)
      join ledger_facts(batch) o on o.n = s.settle
     where s.stored = 'expired' and u.usage_id = s.id and u.usage_id = any (hold_ids);
  end if;

  insert into hold (hold_id, account_id, key_id, team_budget_id, key_budget_id, team_window_start, key_window_start,
      process_id, type, model, stream, amount, first_amount, limit_units, state, placed_at, ended_at, progress)
    select s.id, account_ids[s.account], key_ids[s.key], budget_ids[s.team], budget_ids[s.budget], s.team_start,
           s.budget_start, s.process, o.type, o.model, o.stream, s.amount, s.first_amount, s.limit_units, s.state, o.now, s.ended,
           s.progress
      from unnest(hold_ids, h_place, h_account, h_key, h_team, h_budget, h_team_start, h_budget_start, h_process,
                  h_amount, h_first, h_limit, h_state, h_ended, h_progress)
             s (id, place, account, key, team, budget, team_start, budget_start, process, amount, first_amount, limit_units, state,
                ended, progress)
      join rows from (jsonb_to_recordset(batch -> 'operations') as (type text, model text, stream int, now bigint))
             with ordinality o (type, model, stream, now, n) on o.n = s.place;

  update hold w set amount = s.amount, first_amount = s.first_amount, state = s.state, ended_at = s.ended, progress = s.progress
    from unnest(hold_ids, h_stored, h_changed, h_amount, h_first, h_state, h_ended, h_progress)
           s (id, stored, changed, amount, first_amount, state, ended, progress)
   where w.hold_id = s.id and w.hold_id = any (hold_ids) and s.changed and s.stored is not null;

  if cardinality(e_hold) > 0 then
    insert into hold_extension (hold_id, amount, added_amount, extended_at)
      select * from unnest(e_hold, e_amount, e_added, e_at);
  end if;

  if cardinality(credit_operations) > 0 then
    insert into transfer (transfer_id, account_id, kind, hold_id, funding, charge, write_off, cost, margin, reason,
        created_at)
      select o.id, account_ids[o.account], o.source, null, o.amount, 0, 0, 0, 0, o.reason, o.now
        from rows from (jsonb_to_recordset(batch -> 'operations')
               as (id text, account int, source text, amount bigint, reason text, now bigint))
               with ordinality o (id, account, source, amount, reason, now, n)
       where o.n = any (credit_operations);
  end if;

  if cardinality(array_remove(h_settle, null)) > 0 then
    perform ledger_record(batch, hold_ids, h_stored, h_settle, h_charge, h_write_off, h_cost, h_margin, h_recorded,
      h_old_charge, h_old_prompt, h_old_completion);
  end if;

  if cardinality(credit_operations) > 0 or cardinality(array_remove(h_settle, null)) > 0 then
    perform ledger_log_note(hold_ids, h_stored, h_settle, credit_ids, credit_operations);
  end if;

  update balance w set posted = s.posted, held = s.held
    from unnest(account_ids, a_changed, a_posted, a_held) s (id, changed, posted, held)
   where w.account_id = s.id and w.account_id = any (account_ids) and s.changed;

  insert into budget_window (budget_id, window_start, spent, reserved)
    select budget_ids[(s.n - 1) / w_count + 1], w_starts[(s.n - 1) % w_count + 1], s.spent, s.reserved
      from unnest(w_changed, w_spent, w_reserved) with ordinality s (changed, spent, reserved, n)
     where s.changed
    on conflict (budget_id, window_start) do update set spent = excluded.spent, reserved = excluded.reserved;

  return '[' || array_to_string(results, ',') || ']';
end
$$;
