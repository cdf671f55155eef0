-- Credits deposits, each decided by its own row: what it is worth, whose it is, and whether it may be credited stand
-- there. What was credited for its address and this deposit together are compared with what came to the address in the
-- same step, so that no two deposits can both pass by the same inflow.
--
-- Locks as ledger_apply does: the balance first, here then the address, then the deposit. One call is one transaction
-- and one operation, so two calls can never wait for each other in a circle.
create or replace function ledger_deposit(operation jsonb) returns text language plpgsql
  set lock_timeout = '750ms' as $$
declare
  d deposit%rowtype;
  posted_now bigint;
  inflow numeric := (operation ->> 'inflow')::numeric;
  credited numeric;
begin
  select * into d from deposit
   where chain_id = (operation ->> 'chain')::bigint and tx_hash = operation ->> 'tx'
     and ordinal = operation ->> 'ordinal';
  if not found then
    return '["unknown_deposit"]';
  end if;
  select b.posted into posted_now from balance b where b.account_id = d.account_id for update;
  if inflow is not null then
    -- An address is one account's: where there is no row yet, the lock on the balance keeps others out.
    select i.raw_credited::numeric into credited from address_inflow i
     where i.chain_id = d.chain_id and i.address = d.address and i.asset = d.asset
       for update;
    credited := coalesce(credited, 0);
  end if;
  select * into d from deposit where deposit_id = d.deposit_id for update;
  if d.state = 'credited' then
    return format('["deposited","%s","%s","%s","%s",1]', d.deposit_id, d.account_id, d.credits, posted_now);
  end if;
  if d.state <> 'confirming' or d.block_hash <> operation ->> 'block' or d.credits is null
     or d.credits <> (operation ->> 'amount')::bigint then
    return format('["not_creditable","%s"]', d.state);
  end if;
  if inflow is null and exists (
      select from deposit_address a where a.chain_id = d.chain_id and a.address = d.address) then
    return '["fault","what came to an address of ours is not known"]';
  end if;
  if credited + d.raw_amount::numeric > inflow then
    return format('["exceeds_inflow","%s","%s"]', inflow, credited);
  end if;
  if posted_now + d.credits > 4000000000000000000 then
    return '["fault","a balance cannot be that large"]';
  end if;
  insert into transfer (transfer_id, account_id, kind, hold_id, funding, charge, write_off, cost, margin, reason,
      created_at)
    values (d.deposit_id, d.account_id, 'deposit', null, d.credits, 0, 0, 0, 0, operation ->> 'reason',
      (operation ->> 'now')::bigint);
  perform ledger_log_note('{}', '{}', '{}', array[d.deposit_id], array[1]);
  update balance set posted = posted + d.credits where account_id = d.account_id returning posted into posted_now;
  update deposit set state = 'credited', reason = null, credited_at = (operation ->> 'now')::bigint,
      updated_at = (operation ->> 'now')::bigint
   where deposit_id = d.deposit_id;
  if inflow is not null then
    insert into address_inflow (chain_id, address, asset, raw_inflow, block_number, raw_credited, revision, checked_at)
      values (d.chain_id, d.address, d.asset, inflow::text, (operation ->> 'inflow_block')::bigint,
        (credited + d.raw_amount::numeric)::text, d.deposit_id, (operation ->> 'now')::bigint)
      on conflict (chain_id, address, asset) do update set
        raw_inflow = excluded.raw_inflow, block_number = excluded.block_number, raw_credited = excluded.raw_credited,
        revision = excluded.revision, checked_at = excluded.checked_at;
  end if;
  return format('["deposited","%s","%s","%s","%s",0]', d.deposit_id, d.account_id, d.credits, posted_now);
end
$$;
