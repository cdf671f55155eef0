-- Holds, transfers and the leases of the processes that answer for holds. A hold ends once; the partial index keeps
-- the search for orphans off the ended ones. A transfer is one money event, never changed: its columns are the sides
-- of the double entry, and the view shows them as signed entries that sum to zero. It outlives its hold, which an
-- archive takes, and so refers to it without a foreign key. Checks of more than two words are
-- written with `or`: SQLite builds a table for a longer `in` list at every write. A hold names its process without a
-- foreign key, because the lease row is cleared away once its holds have ended.
create table process_lease (
  process_id   text not null primary key,
  node_name    text not null,
  started_at   integer not null,
  lease_until  integer not null,
  -- Number of the newest migration that its code has; null after its row was lost.
  knows_schema integer
) strict, without rowid;

create table hold (
  hold_id            text not null primary key,
  account_id         text not null references account on delete restrict,
  key_id             text not null references api_key on delete restrict,
  team_budget_id     text references budget on delete restrict,
  key_budget_id      text references budget on delete restrict,
  team_window_start  integer,
  key_window_start   integer,
  process_id         text not null,
  type               text not null,
  model              text not null,
  stream             integer not null check (stream in (0, 1)),
  amount             integer not null check (amount >= 0),
  first_amount       integer check (first_amount <= amount),
  limit_units        integer check (limit_units >= 1),
  state              text not null
    check (state = 'held' or state = 'captured' or state = 'released' or state = 'expired'),
  placed_at          integer not null,
  ended_at           integer,
  progress           text,
  check ((state = 'held') = (ended_at is null)),
  check ((team_budget_id is null) = (team_window_start is null)),
  check ((key_budget_id is null) = (key_window_start is null))
) strict, without rowid;

create index hold_open_by_process on hold (process_id) where state = 'held';

-- Each growth of a hold, so that the story of a request tells when it grew and by how much. Written where a hold grows
-- and nowhere else: a request that never extends its hold has no row. Since a hold only grows, its size after a growth
-- names the growth. What was held before the first stands in the hold, too. Nothing is locked.
create table hold_extension (
  hold_id      text not null references hold on delete restrict,
  amount       integer not null check (amount >= added_amount),
  added_amount integer not null check (added_amount > 0),
  extended_at  integer not null,
  primary key (hold_id, amount)
) strict, without rowid;

create table transfer (
  transfer_id  text not null primary key,
  account_id   text not null references account on delete restrict,
  kind         text not null
    check (kind = 'capture' or kind = 'write_off' or kind = 'grant' or kind = 'adjustment' or kind = 'deposit'),
  hold_id      text,
  funding      integer not null,
  charge       integer not null check (charge >= 0),
  write_off    integer not null check (write_off >= 0),
  cost         integer not null check (cost >= 0),
  margin       integer not null check (margin >= 0),
  reason       text,
  created_at   integer not null,
  check (hold_id = transfer_id),
  check (charge + write_off = cost + margin),
  check ((kind in ('capture', 'write_off')) = (hold_id is not null)),
  check ((kind in ('capture', 'write_off')) = (funding = 0)),
  check ((kind in ('capture', 'write_off')) = (charge + write_off > 0)),
  check ((kind = 'capture') = (charge > 0)),
  check (kind = 'adjustment' or funding >= 0)
) strict, without rowid;

create index transfer_funding_by_account on transfer (account_id, transfer_id) where hold_id is null;
-- A statement reads what moved one account's balance in the order in which it was booked.
create index transfer_by_account on transfer (account_id, created_at, transfer_id);

create trigger transfer_is_never_updated before update on transfer
begin
  select raise(abort, 'a transfer is never changed');
end;

create trigger transfer_is_never_deleted before delete on transfer
begin
  select raise(abort, 'a transfer is never deleted');
end;

create view ledger_entry (transfer_id, account, amount, created_at) as
  select transfer_id, account_id, funding - charge, created_at from transfer where funding <> charge
  union all
  select transfer_id, 'system:' || kind, -funding, created_at from transfer where funding <> 0
  union all
  select transfer_id, 'system:write_off', -write_off, created_at from transfer where write_off <> 0
  union all
  select transfer_id, 'system:upstream', cost, created_at from transfer where cost <> 0
  union all
  select transfer_id, 'system:margin', margin, created_at from transfer where margin <> 0;
