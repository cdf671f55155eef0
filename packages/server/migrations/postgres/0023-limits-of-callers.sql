-- Limits of requests that belong to a key or to an account, beside those of the configuration. Null, and an account
-- without a row, mean what holds one step above: the account's for a key, the configuration's for an account. The times
-- of changes let every process ask once a second for what it should not remember any longer. The table of keys is
-- locked for a moment; nothing of it is rewritten.
alter table api_key add column requests_per_minute integer check (requests_per_minute > 0);
alter table api_key add column changed_at bigint;

create index api_key_changed on api_key (changed_at) where changed_at is not null;

create table account_limit (
  account_id                   text collate "C" not null primary key references account on delete restrict,
  requests_per_minute          integer check (requests_per_minute > 0),
  account_requests_per_minute  integer check (account_requests_per_minute > 0),
  streams_at_once              integer check (streams_at_once > 0),
  changed_at                   bigint not null
);

create index account_limit_changed on account_limit (changed_at);
