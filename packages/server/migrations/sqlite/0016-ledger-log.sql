-- The ledger log: an append-only tree over everything that the ledger has booked (decision 0146).
--
-- The ledger names what it has booked in `ledger_log_pending`, in the transaction that books it, a row for each batch.
-- Within a second one process takes these rows away and puts their entries down, in one transaction: in a batch, in
-- the tiles of the tree, in the running numbers of the accounts, and in the one row of the log itself.
create table ledger_log_pending (
  pending_id  integer primary key,
  -- JSON: each a mark and an id, in the order in which they were booked.
  entries     text not null
) strict;

-- What a usage record was before the true outcome took the place of an expired one.
create table replaced_record (
  usage_id           text not null primary key,
  account_id         text not null,
  team_id            text,
  key_id             text not null,
  created_at         integer not null,
  started_at         integer not null,
  type               text not null,
  model              text not null,
  upstream           text,
  upstream_model     text,
  status             text not null check (status in ('ok', 'incomplete', 'error', 'cancelled')),
  error_code         text,
  stream             integer not null check (stream in (0, 1)),
  prompt_tokens      integer,
  completion_tokens  integer,
  cached_tokens      integer,
  reasoning_tokens   integer,
  charge             integer not null check (charge >= 0),
  write_off          integer not null check (write_off >= 0),
  cost               integer not null check (cost >= 0),
  basis              text check (basis = 'card' or basis = 'cost' or basis = 'list' or basis = 'estimate'),
  estimated          integer not null check (estimated in (0, 1)),
  pricing            text,
  generation_id      text,
  latency_ms         integer
) strict, without rowid;

create table ledger_log (
  log_id       integer primary key check (log_id = 1),
  -- Names the log; also the name of its keys.
  origin       text not null,
  size         integer not null check (size >= 0),
  -- The roots of the complete subtrees that the tree consists of, the largest first.
  roots        blob not null,
  -- The last signed checkpoint; null before the first.
  checkpoint   text,
  -- Its size; 0 before the first.
  signed_size  integer not null default 0,
  -- A checkpoint that a process has given out and that this log does not lead to: no process signs until it does.
  contradicted_by  text,
  -- The process that sequences, until then.
  holder       text,
  lease_until  integer,
  created_at   integer not null
) strict;

-- The keys that may sign, from which size on.
create table ledger_log_key (
  verifier_key  text not null primary key,
  since_size    integer not null,
  added_at      integer not null
) strict, without rowid;

-- Leaves that were put down together. `entries` has a line for each: mark and id as JSON, the account's running number,
-- its balance afterwards. `salts` has 32 bytes for each: the leaf's salt and the operator's. `seal` is encrypted: the
-- beginning of each leaf's hash, which no one can change who has the database alone.
create table ledger_log_batch (
  first_index   integer primary key,
  size          integer not null check (size > 0),
  earliest_at   integer not null,
  latest_at     integer not null,
  entries       text not null,
  salts         blob not null,
  seal          blob not null,
  sequenced_at  integer not null
) strict;

create index ledger_log_batch_by_time on ledger_log_batch (latest_at, earliest_at);

create trigger ledger_log_batch_is_never_updated before update on ledger_log_batch
begin
  select raise(abort, 'a batch of the ledger log is never changed');
end;

-- 256 hashes of 32 bytes each; fewer in the last of a level.
create table ledger_log_tile (
  level       integer not null,
  tile_index  integer not null,
  hashes      blob not null,
  primary key (level, tile_index)
) strict, without rowid;

-- How far each account is in the log.
create table ledger_log_account (
  account_id  text not null primary key,
  number      integer not null,
  posted      integer not null
) strict, without rowid;

-- What was booked before there was a log waits as if it had been booked now, in the order in which it was.
insert into ledger_log_pending (entries)
  select json_group_array(entry) from (
    select entry, (row_number() over (order by at, place, entry) - 1) / 256 as batch from (
      select 't' || transfer_id as entry, created_at as at, 0 as place from transfer where hold_id is null
      union all
      select 'r' || u.usage_id, coalesce(t.created_at, u.created_at), 1
        from usage_record u left join transfer t on t.transfer_id = u.usage_id)
    order by at, place, entry)
  group by batch order by batch;
