-- Deposits: what arrived on a chain for an account, where it may arrive, and how far the chain was read. One row per
-- transfer, found by (chain, transaction, ordinal) however often it is seen; crediting it writes a transfer of the same
-- id in the same transaction. Raw amounts are decimal text: wei do not fit 64 bits. Nothing here is ever deleted, since
-- an address stays ours for ever and a row that is gone could be credited again.
create table deposit_address (
  address_id        text not null primary key,
  account_id        text not null references account on delete restrict,
  chain_id          integer not null,
  xpub_id           text not null,
  derivation_index  integer not null check (derivation_index >= 0 and derivation_index < 2147483648),
  address           text not null check (address = lower(address) and length(address) = 42),
  created_at        integer not null,
  unique (chain_id, address),
  unique (xpub_id, derivation_index),
  unique (account_id, xpub_id)
) strict, without rowid;

-- Addresses on the chains of a sandbox, whose private keys everybody knows: since the store went live nothing counts that
-- arrives there.
create table retired_address (
  chain_id    integer not null,
  address     text not null,
  retired_at  integer not null,
  primary key (chain_id, address)
) strict, without rowid;

create table linked_wallet (
  wallet_id    text not null primary key,
  account_id   text not null references account on delete restrict,
  chain_id     integer not null,
  address      text not null check (address = lower(address) and length(address) = 42),
  proof        text not null check (proof = 'eoa' or proof = 'contract'),
  linked_at    integer not null,
  unlinked_at  integer check (unlinked_at >= linked_at)
) strict, without rowid;

create unique index linked_wallet_once on linked_wallet (chain_id, address) where unlinked_at is null;
create index linked_wallet_by_account on linked_wallet (account_id);

create table wallet_challenge (
  nonce       text not null primary key,
  account_id  text not null references account on delete restrict,
  session     text not null,
  chain_id    integer not null,
  expires_at  integer not null,
  used_at     integer
) strict, without rowid;

create table deposit (
  deposit_id    text not null primary key,
  account_id    text not null references account on delete restrict,
  chain_id      integer not null,
  tx_hash       text not null check (tx_hash = lower(tx_hash) and length(tx_hash) = 66),
  ordinal       text not null,
  asset         text not null check (asset = 'USDG' or asset = 'ETH'),
  address       text not null,
  sender        text,
  raw_amount    text not null check (raw_amount <> '' and raw_amount <> '0'),
  block_number  integer not null check (block_number >= 0),
  block_hash    text not null,
  block_time    integer not null,
  state         text not null
    check (state in ('seen', 'confirming', 'credited', 'reversed', 'under_review', 'rejected')),
  reason        text,
  credits       integer check (credits >= 0),
  price         text,
  price_round   text,
  price_time    integer,
  released_at   integer,
  note          text,
  seen_at       integer not null,
  updated_at    integer not null,
  credited_at   integer,
  -- Since when its block is known to be final.
  final_at      integer,
  -- Since when what is told of it does not fit together: one wrong answer of a node is waited out, and what lasts is
  -- left to an operator.
  doubted_at    integer,
  unique (chain_id, tx_hash, ordinal),
  check ((state = 'credited') = (credited_at is not null)),
  check (state <> 'credited' or credits > 0)
) strict, without rowid;

create index deposit_by_account on deposit (account_id, deposit_id);
create index deposit_by_address on deposit (chain_id, address, asset);
create index deposit_by_price on deposit (chain_id, asset, block_time) where credited_at is not null;
create index deposit_pending on deposit (chain_id, state, block_number) where credited_at is null;

create trigger deposit_is_never_deleted before delete on deposit
begin
  select raise(abort, 'a deposit is never deleted');
end;

create trigger deposit_stays_credited before update on deposit when old.state = 'credited'
begin
  select raise(abort, 'a credited deposit is never changed');
end;

create trigger deposit_keeps_its_identity before update on deposit
when (old.deposit_id, old.chain_id, old.tx_hash, old.ordinal)
  <> (new.deposit_id, new.chain_id, new.tx_hash, new.ordinal)
begin
  select raise(abort, 'a deposit keeps its identity');
end;

create trigger deposit_address_is_never_changed before update on deposit_address
begin
  select raise(abort, 'a deposit address is never changed');
end;

create trigger deposit_address_is_never_deleted before delete on deposit_address
begin
  select raise(abort, 'a deposit address is never deleted');
end;

create table outflow (
  outflow_id    text not null primary key,
  chain_id      integer not null,
  asset         text not null check (asset = 'USDG' or asset = 'ETH'),
  address       text not null,
  tx_hash       text,
  raw_amount    text not null,
  raw_fee       text not null default '0',
  state         text not null check (state = 'planned' or state = 'sent' or state = 'final' or state = 'failed'),
  block_number  integer,
  block_hash    text,
  seal          text not null,
  created_at    integer not null,
  updated_at    integer not null,
  check (state <> 'final' or (tx_hash is not null and block_number is not null and block_hash is not null))
) strict, without rowid;

create unique index outflow_once on outflow (chain_id, tx_hash, address, asset) where tx_hash is not null;
create index outflow_by_address on outflow (chain_id, address, asset);

-- What came to an address of ours and what was credited for it, compared and written by the step that credits. The
-- revision is exchanged with every change of what is recorded for the address: of two who decide by the same rows at
-- once, the second notices.
create table address_inflow (
  chain_id      integer not null,
  address       text not null,
  asset         text not null,
  raw_inflow    text not null default '0',
  block_number  integer not null default 0,
  raw_credited  text not null default '0',
  revision      text not null,
  checked_at    integer not null,
  primary key (chain_id, address, asset)
) strict, without rowid;

-- Payments that were credited by the balance of their address before their transactions were found. Such a payment has
-- no deposit of its own: it is part of the one that the balance made.
create table deposit_match (
  chain_id      integer not null,
  tx_hash       text not null,
  ordinal       text not null,
  deposit_id    text not null references deposit on delete restrict,
  raw_amount    text not null check (raw_amount <> '' and raw_amount <> '0'),
  block_number  integer not null,
  matched_at    integer not null,
  primary key (chain_id, tx_hash, ordinal)
) strict, without rowid;

create index deposit_match_by_deposit on deposit_match (deposit_id);

create trigger deposit_match_is_never_updated before update on deposit_match
begin
  select raise(abort, 'a match is never changed');
end;

create trigger deposit_match_is_never_deleted before delete on deposit_match
begin
  select raise(abort, 'a match is never deleted');
end;

create table chain_cursor (
  chain_id      integer not null,
  scan          text not null,
  block_number  integer not null check (block_number >= 0),
  block_hash    text not null,
  updated_at    integer not null,
  primary key (chain_id, scan)
) strict, without rowid;

-- USD for one ETH as a price service told it, about once a minute: what a feed said of a moment is compared with it later.
create table price_sample (
  chain_id    integer not null,
  sampled_at  integer not null,
  usd         real not null check (usd > 0),
  primary key (chain_id, sampled_at)
) strict, without rowid;

-- What could not be read of a chain and is looked at again, each by itself, while the scan goes on without it.
create table chain_retry (
  chain_id      integer not null,
  -- A transaction by its hash, or a block by its number.
  subject       text not null,
  block_number  integer not null,
  failures      integer not null,
  problem       text not null,
  first_at      integer not null,
  next_at       integer not null,
  primary key (chain_id, subject)
) strict, without rowid;

create index chain_retry_due on chain_retry (chain_id, next_at);

create table chain_fact (
  chain_id  integer not null,
  name      text not null,
  value     text not null,
  noted_at  integer not null,
  primary key (chain_id, name)
) strict, without rowid;

create table task_lease (
  task         text not null primary key,
  holder       text not null,
  lease_until  integer not null
) strict, without rowid;

-- What an operator decided about a deposit, and why. Kept for good, beside the deposit's own present note.
create table deposit_decision (
  decision_id  text not null primary key,
  deposit_id   text not null references deposit on delete restrict,
  decision     text not null check (decision in ('release', 'reject')),
  reason       text not null,
  price        text,
  decided_by   text not null,
  decided_at   integer not null
) strict, without rowid;

create index deposit_decision_by_deposit on deposit_decision (deposit_id, decision_id);

create trigger deposit_decision_is_never_updated before update on deposit_decision
begin
  select raise(abort, 'a decision is never changed');
end;

create trigger deposit_decision_is_never_deleted before delete on deposit_decision
begin
  select raise(abort, 'a decision is never deleted');
end;
