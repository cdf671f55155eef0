-- Limits of requests that belong to an account, beside those of its keys and of the configuration. Null, and an account
-- without a row, mean the configuration's.
create table account_limit (
  account_id                   text not null primary key references account on delete restrict,
  requests_per_minute          integer check (requests_per_minute > 0),
  account_requests_per_minute  integer check (account_requests_per_minute > 0),
  streams_at_once              integer check (streams_at_once > 0),
  changed_at                   integer not null
) strict, without rowid;

create index account_limit_changed on account_limit (changed_at);

-- Embedded storage has one process, which counts everything else in its memory.
