-- What a batch needs and another session has locked at this moment: the ids of accounts, keys, budgets and holds. A
-- hold counts as locked where its account, its key or one of its budgets is. The end of a hold waits for one row more,
-- the total of its day. Waits for no session.
create or replace function ledger_blocked(batch jsonb) returns text language plpgsql
  set plan_cache_mode = force_generic_plan set enable_seqscan = off set jit = off as $$
#variable_conflict use_column
declare
  hold_ids text[] := array(select jsonb_array_elements_text(batch -> 'holds'));
  account_ids text[] := array(select jsonb_array_elements_text(batch -> 'accounts'));
  budget_ids text[] := array(select jsonb_array_elements_text(batch -> 'budgets'));
  key_ids text[] := array(select jsonb_array_elements_text(batch -> 'keys'));
  free text[]; accounts text[]; keys text[]; budgets text[]; holds text[]; ends text[];
begin
  select account_ids || array_agg(f.account_id), key_ids || array_agg(f.key_id),
         budget_ids || array_agg(f.team_budget_id) || array_agg(f.key_budget_id)
    into account_ids, key_ids, budget_ids
    from hold f where f.hold_id = any (hold_ids);

  free := array(select account_id from balance where account_id = any (account_ids) for update skip locked);
  accounts := array(select account_id from balance where account_id = any (account_ids) and account_id <> all (free));
  -- A new hold refers to its account and its key, and so waits for the session that changes them.
  free := array(select account_id from account where account_id = any (account_ids) for key share skip locked);
  accounts := accounts
    || array(select account_id from account where account_id = any (account_ids) and account_id <> all (free));
  free := array(select key_id from api_key where key_id = any (key_ids) for key share skip locked);
  keys := array(select key_id from api_key where key_id = any (key_ids) and key_id <> all (free));
  free := array(select budget_id from budget where budget_id = any (budget_ids) for update skip locked);
  budgets := array(select budget_id from budget where budget_id = any (budget_ids) and budget_id <> all (free));
  free := array(select hold_id from hold where hold_id = any (hold_ids) for update skip locked);
  holds := array(
    select hold_id from hold
     where hold_id = any (hold_ids)
       and (hold_id <> all (free) or account_id = any (accounts) or key_id = any (keys)
         or team_budget_id = any (budgets) or key_budget_id = any (budgets)));
  free := array(
    select d.key_id || ' ' || d.day || ' ' || d.type || ' ' || d.model
      from hold f
      join usage_daily d
        on d.key_id = f.key_id and d.day = f.placed_at / 86400000 and d.type = f.type and d.model = f.model
     where f.hold_id = any (hold_ids) for update of d skip locked);
  ends := array(
    select f.hold_id
      from hold f
      join usage_daily d
        on d.key_id = f.key_id and d.day = f.placed_at / 86400000 and d.type = f.type and d.model = f.model
     where f.hold_id = any (hold_ids) and d.key_id || ' ' || d.day || ' ' || d.type || ' ' || d.model <> all (free));
  return json_build_object('accounts', accounts, 'keys', keys, 'budgets', budgets, 'holds', holds, 'ends', ends);
end
$$;
