-- Deposits: what arrived on a chain for an account, where it may arrive, and how far the chain was read. One row per
-- transfer, found by (chain, transaction, ordinal) however often it is seen; crediting it writes a transfer of the same
-- id in the same transaction. Raw amounts are decimal text: wei do not fit 64 bits. Nothing here is ever deleted, since
-- an address stays ours for ever and a row that is gone could be credited again.
create table deposit_address (
  address_id        text collate "C" not null primary key,
  account_id        text collate "C" not null references account on delete restrict,
  chain_id          bigint not null,
  xpub_id           text collate "C" not null,
  derivation_index  bigint not null check (derivation_index >= 0 and derivation_index < 2147483648),
  address           text collate "C" not null check (address = lower(address) and length(address) = 42),
  created_at        bigint not null,
  unique (chain_id, address),
  unique (xpub_id, derivation_index),
  unique (account_id, xpub_id)
);

-- Addresses on the chains of a sandbox, whose private keys everybody knows: since the store went live nothing counts that
-- arrives there.
create table retired_address (
  chain_id    bigint not null,
  address     text collate "C" not null,
  retired_at  bigint not null,
  primary key (chain_id, address)
);

create table linked_wallet (
  wallet_id    text collate "C" not null primary key,
  account_id   text collate "C" not null references account on delete restrict,
  chain_id     bigint not null,
  address      text collate "C" not null check (address = lower(address) and length(address) = 42),
  proof        text not null check (proof = 'eoa' or proof = 'contract'),
  linked_at    bigint not null,
  unlinked_at  bigint check (unlinked_at >= linked_at)
);

create unique index linked_wallet_once on linked_wallet (chain_id, address) where unlinked_at is null;
create index linked_wallet_by_account on linked_wallet (account_id);

create table wallet_challenge (
  nonce       text collate "C" not null primary key,
  account_id  text collate "C" not null references account on delete restrict,
  session     text not null,
  chain_id    bigint not null,
  expires_at  bigint not null,
  used_at     bigint
);

create table deposit (
  deposit_id    text collate "C" not null primary key,
  account_id    text collate "C" not null references account on delete restrict,
  chain_id      bigint not null,
  tx_hash       text collate "C" not null check (tx_hash = lower(tx_hash) and length(tx_hash) = 66),
  ordinal       text collate "C" not null,
  asset         text collate "C" not null check (asset = 'USDG' or asset = 'ETH'),
  address       text collate "C" not null,
  sender        text,
  raw_amount    text not null check (raw_amount <> '' and raw_amount <> '0'),
  block_number  bigint not null check (block_number >= 0),
  block_hash    text not null,
  block_time    bigint not null,
  state         text not null
    check (state in ('seen', 'confirming', 'credited', 'reversed', 'under_review', 'rejected')),
  reason        text,
  credits       bigint check (credits >= 0),
  price         text,
  price_round   text,
  price_time    bigint,
  released_at   bigint,
  note          text,
  seen_at       bigint not null,
  updated_at    bigint not null,
  credited_at   bigint,
  -- Since when its block is known to be final.
  final_at      bigint,
  -- Since when what is told of it does not fit together: one wrong answer of a node is waited out, and what lasts is
  -- left to an operator.
  doubted_at    bigint,
  unique (chain_id, tx_hash, ordinal),
  check ((state = 'credited') = (credited_at is not null)),
  check (state <> 'credited' or credits > 0)
);

create index deposit_by_account on deposit (account_id, deposit_id);
create index deposit_by_address on deposit (chain_id, address, asset);
create index deposit_by_price on deposit (chain_id, asset, block_time) where credited_at is not null;
create index deposit_pending on deposit (chain_id, state, block_number) where credited_at is null;

create function deposit_guard() returns trigger language plpgsql as $$
begin
  if old.state = 'credited' then
    raise exception 'a credited deposit is never changed' using errcode = 'restrict_violation';
  end if;
  if (old.deposit_id, old.chain_id, old.tx_hash, old.ordinal)
    is distinct from (new.deposit_id, new.chain_id, new.tx_hash, new.ordinal)
  then
    raise exception 'a deposit keeps its identity' using errcode = 'restrict_violation';
  end if;
  return new;
end
$$;

create trigger deposit_is_guarded before update on deposit for each row execute function deposit_guard();
create trigger deposit_is_never_deleted before delete on deposit for each row execute function refuse_change();
create trigger deposit_is_never_emptied before truncate on deposit for each statement execute function refuse_change();
create trigger deposit_address_is_append_only before update or delete on deposit_address
  for each row execute function refuse_change();
create trigger deposit_address_is_never_emptied before truncate on deposit_address
  for each statement execute function refuse_change();

create table outflow (
  outflow_id    text collate "C" not null primary key,
  chain_id      bigint not null,
  asset         text collate "C" not null check (asset = 'USDG' or asset = 'ETH'),
  address       text collate "C" not null,
  tx_hash       text collate "C",
  raw_amount    text not null,
  raw_fee       text not null default '0',
  state         text not null check (state = 'planned' or state = 'sent' or state = 'final' or state = 'failed'),
  block_number  bigint,
  block_hash    text,
  seal          text not null,
  created_at    bigint not null,
  updated_at    bigint not null,
  check (state <> 'final' or (tx_hash is not null and block_number is not null and block_hash is not null))
);

create unique index outflow_once on outflow (chain_id, tx_hash, address, asset) where tx_hash is not null;
create index outflow_by_address on outflow (chain_id, address, asset);

-- What came to an address of ours and what was credited for it, compared and written by the step that credits. The
-- revision is exchanged with every change of what is recorded for the address: of two who decide by the same rows at
-- once, the second notices.
create table address_inflow (
  chain_id      bigint not null,
  address       text collate "C" not null,
  asset         text collate "C" not null,
  raw_inflow    text not null default '0',
  block_number  bigint not null default 0,
  raw_credited  text not null default '0',
  revision      text not null,
  checked_at    bigint not null,
  primary key (chain_id, address, asset)
);

-- Payments that were credited by the balance of their address before their transactions were found. Such a payment has
-- no deposit of its own: it is part of the one that the balance made.
create table deposit_match (
  chain_id      bigint not null,
  tx_hash       text collate "C" not null,
  ordinal       text collate "C" not null,
  deposit_id    text collate "C" not null references deposit on delete restrict,
  raw_amount    text not null check (raw_amount <> '' and raw_amount <> '0'),
  block_number  bigint not null,
  matched_at    bigint not null,
  primary key (chain_id, tx_hash, ordinal)
);

create index deposit_match_by_deposit on deposit_match (deposit_id);

create trigger deposit_match_is_append_only before update or delete on deposit_match
  for each row execute function refuse_change();
create trigger deposit_match_is_never_emptied before truncate on deposit_match
  for each statement execute function refuse_change();

create table chain_cursor (
  chain_id      bigint not null,
  scan          text collate "C" not null,
  block_number  bigint not null check (block_number >= 0),
  block_hash    text not null,
  updated_at    bigint not null,
  primary key (chain_id, scan)
);

-- USD for one ETH as a price service told it, about once a minute: what a feed said of a moment is compared with it later.
create table price_sample (
  chain_id    bigint not null,
  sampled_at  bigint not null,
  usd         double precision not null check (usd > 0),
  primary key (chain_id, sampled_at)
);

-- What could not be read of a chain and is looked at again, each by itself, while the scan goes on without it.
create table chain_retry (
  chain_id      bigint not null,
  -- A transaction by its hash, or a block by its number.
  subject       text collate "C" not null,
  block_number  bigint not null,
  failures      bigint not null,
  problem       text not null,
  first_at      bigint not null,
  next_at       bigint not null,
  primary key (chain_id, subject)
);

create index chain_retry_due on chain_retry (chain_id, next_at);

create table chain_fact (
  chain_id  bigint not null,
  name      text collate "C" not null,
  value     text not null,
  noted_at  bigint not null,
  primary key (chain_id, name)
);

create table task_lease (
  task         text collate "C" not null primary key,
  holder       text not null,
  lease_until  bigint not null
);

-- What an operator decided about a deposit, and why. Kept for good, beside the deposit's own present note.
create table deposit_decision (
  decision_id  text collate "C" not null primary key,
  deposit_id   text collate "C" not null references deposit on delete restrict,
  decision     text not null check (decision in ('release', 'reject')),
  reason       text not null,
  price        text,
  decided_by   text not null,
  decided_at   bigint not null
);

create index deposit_decision_by_deposit on deposit_decision (deposit_id, decision_id);

create trigger deposit_decision_is_append_only before update or delete on deposit_decision
  for each row execute function refuse_change();

create trigger deposit_decision_is_never_emptied before truncate on deposit_decision
  for each statement execute function refuse_change();
