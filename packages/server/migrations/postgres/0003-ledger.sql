-- Holds, transfers and the leases of the processes that answer for holds. A hold ends once; the partial index keeps
-- the search for orphans off the ended ones. A transfer is one money event, never changed: its columns are the sides
-- of the double entry, and the view shows them as signed entries that sum to zero. It outlives its hold, which an
-- archive takes, and so refers to it without a foreign key. A hold names its process without
-- a foreign key, because the lease row is cleared away once its holds have ended.
create table process_lease (
  process_id   text collate "C" not null primary key,
  node_name    text not null,
  started_at   bigint not null,
  lease_until  bigint not null,
  -- Number of the newest migration that its code has; null after its row was lost.
  knows_schema bigint
);

create table hold (
  hold_id            text collate "C" not null primary key,
  account_id         text collate "C" not null references account on delete restrict,
  key_id             text collate "C" not null references api_key on delete restrict,
  team_budget_id     text collate "C" references budget on delete restrict,
  key_budget_id      text collate "C" references budget on delete restrict,
  team_window_start  bigint,
  key_window_start   bigint,
  process_id         text collate "C" not null,
  type               text not null,
  model              text not null,
  stream             integer not null check (stream in (0, 1)),
  amount             bigint not null check (amount >= 0),
  first_amount       bigint check (first_amount <= amount),
  limit_units        bigint check (limit_units >= 1),
  state              text not null check (state in ('held', 'captured', 'released', 'expired')),
  placed_at          bigint not null,
  ended_at           bigint,
  progress           text,
  check ((state = 'held') = (ended_at is null)),
  check ((team_budget_id is null) = (team_window_start is null)),
  check ((key_budget_id is null) = (key_window_start is null))
);

create index hold_open_by_process on hold (process_id) where state = 'held';

-- Each growth of a hold, so that the story of a request tells when it grew and by how much. Written where a hold grows
-- and nowhere else: a request that never extends its hold has no row. Since a hold only grows, its size after a growth
-- names the growth. What was held before the first stands in the hold, too. Nothing is locked.
create table hold_extension (
  hold_id      text collate "C" not null references hold on delete restrict,
  amount       bigint not null check (amount >= added_amount),
  added_amount bigint not null check (added_amount > 0),
  extended_at  bigint not null,
  primary key (hold_id, amount)
);

create table transfer (
  transfer_id  text collate "C" not null primary key,
  account_id   text collate "C" not null references account on delete restrict,
  kind         text not null check (kind in ('capture', 'write_off', 'grant', 'adjustment', 'deposit')),
  hold_id      text collate "C",
  funding      bigint not null,
  charge       bigint not null check (charge >= 0),
  write_off    bigint not null check (write_off >= 0),
  cost         bigint not null check (cost >= 0),
  margin       bigint not null check (margin >= 0),
  reason       text,
  created_at   bigint not null,
  check (hold_id = transfer_id),
  check (charge + write_off = cost + margin),
  check ((kind in ('capture', 'write_off')) = (hold_id is not null)),
  check ((kind in ('capture', 'write_off')) = (funding = 0)),
  check ((kind in ('capture', 'write_off')) = (charge + write_off > 0)),
  check ((kind = 'capture') = (charge > 0)),
  check (kind = 'adjustment' or funding >= 0)
);

create index transfer_funding_by_account on transfer (account_id, transfer_id) where hold_id is null;
-- A statement reads what moved one account's balance in the order in which it was booked.
create index transfer_by_account on transfer (account_id, created_at, transfer_id);

create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'a % is never changed or deleted', tg_table_name using errcode = 'restrict_violation';
end
$$;

create trigger transfer_is_append_only before update or delete on transfer
  for each row execute function refuse_change();

create trigger transfer_is_never_emptied before truncate on transfer
  for each statement execute function refuse_change();

create view ledger_entry (transfer_id, account, amount, created_at) as
  select transfer_id, account_id, funding - charge, created_at from transfer where funding <> charge
  union all
  select transfer_id, ('system:' || kind) collate "C", -funding, created_at from transfer where funding <> 0
  union all
  select transfer_id, 'system:write_off' collate "C", -write_off, created_at from transfer where write_off <> 0
  union all
  select transfer_id, 'system:upstream' collate "C", cost, created_at from transfer where cost <> 0
  union all
  select transfer_id, 'system:margin' collate "C", margin, created_at from transfer where margin <> 0;
