-- Settles by the id of a hold of which no row is left: a fail-over lost it, or it was deleted. The account pays
-- what it has available, the rest is a write-off, and nothing is freed. The hold's row is written again, as ended.
-- Decides as the SQLite writer does. Locks in the order of `ledger_apply`: balance, budgets, hold.
create or replace function ledger_settle_late(asked jsonb) returns text language plpgsql
  set lock_timeout = '750ms' as $$
#variable_conflict use_column
declare
  o record;
  payer balance%rowtype;
  caller record;
  budgets jsonb;
  settled bigint; charge bigint; owed bigint;
begin
  select * into o from jsonb_to_record(asked) as x (id text, account_id text, key_id text, process text, type text,
    model text, stream int, placed_at bigint, outcome text, charge bigint, cost bigint, lost bigint, most bigint,
    now bigint, day bigint, week bigint, month bigint, name jsonb);
  select * into payer from balance b where b.account_id = o.account_id for update;
  settled := coalesce((select u.charge from usage_record u where u.usage_id = o.id),
                      (select x.charge from transfer x where x.transfer_id = o.id and x.hold_id = o.id));
  if settled is not null then return format('["already_settled","%s"]', settled); end if;
  -- Free, and its record is in a file of the archive.
  if o.id <= (select max(f.last_id) from archive_file f) then return '["already_settled","0"]'; end if;
  if exists (select 1 from hold f where f.hold_id = o.id) then
    raise exception 'a hold appeared while its batch was applied' using errcode = 'serialization_failure';
  end if;
  if o.charge = 0 and o.cost = 0 and o.outcome <> 'captured' then return '["already_settled","0"]'; end if;
  select k.budget_id as key, t.budget_id as team into caller
    from api_key k left join team t on t.team_id = k.team_id where k.key_id = o.key_id;
  if payer.account_id is null or not found then return '["unknown_caller","0"]'; end if;

  select jsonb_object_agg(b.budget_id, case b.period when 'daily' then o.day when 'weekly' then o.week
                                                     when 'monthly' then o.month else 0 end)
    into budgets
    from (select * from budget where budget_id in (caller.key, caller.team) order by budget_id for update) b;
  charge := case when o.outcome = 'captured' and ledger_asked_anew(o.name, o.id) then 0
                 else least(o.charge, o.most, greatest(payer.posted - payer.held, 0)) end;
  owed := greatest(o.charge, o.cost - o.lost) + o.lost;

  insert into hold (hold_id, account_id, key_id, team_budget_id, key_budget_id, team_window_start, key_window_start,
      process_id, type, model, stream, amount, limit_units, state, placed_at, ended_at, progress)
    values (o.id, o.account_id, o.key_id, caller.team, caller.key, (budgets ->> caller.team)::bigint,
      (budgets ->> caller.key)::bigint, o.process, o.type, o.model, o.stream, 0, null, o.outcome, o.placed_at, o.now,
      null);
  perform ledger_record(jsonb_build_object('operations', jsonb_build_array(asked)), array[o.id], array[null::text],
    array[1], array[charge], array[owed - charge], array[o.cost], array[owed - o.cost], array[o.now],
    array[null::bigint], array[null::bigint], array[null::bigint]);
  perform ledger_log_note(array[o.id], array[null::text], array[1], '{}', '{}');
  update balance b set posted = b.posted - charge where b.account_id = o.account_id;
  insert into budget_window as w (budget_id, window_start, spent, reserved)
    select b.key, b.value::bigint, charge, 0 from jsonb_each_text(budgets) b
    on conflict (budget_id, window_start) do update set spent = w.spent + excluded.spent;
  return format('["settled","%s","%s",1]', charge, owed - charge);
end
$$;
