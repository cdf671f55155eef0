-- Limits of requests that belong to an account, beside those of its keys and of the configuration. Null, and an account
-- without a row, mean the configuration's.
create table account_limit (
  account_id                   text collate "C" not null primary key references account on delete restrict,
  requests_per_minute          integer check (requests_per_minute > 0),
  account_requests_per_minute  integer check (account_requests_per_minute > 0),
  streams_at_once              integer check (streams_at_once > 0),
  changed_at                   bigint not null
);

create index account_limit_changed on account_limit (changed_at);

-- Limits that all processes share: how often callers ask, their rare calls, and the streams they have open. Nothing of
-- it has to outlive a crash of the database, so it is not logged: the tables are empty then, which means that every
-- bucket is full.

-- One bucket of one caller. At seen_at, in milliseconds, it was missing nanoseconds from being full: missing / interval
-- requests, at the rate that it had then. Tokens that a process took ahead of their requests are lent until the end of
-- the epoch that follows the one in which it took them: an epoch is two seconds, and seen_at lies in the one that lent
-- is about.
create unlogged table rate_bucket (
  kind         text collate "C" not null,
  caller       text collate "C" not null,
  seen_at      bigint not null,
  missing      bigint not null default 0 check (missing >= 0),
  interval     bigint not null check (interval > 0),
  burst        bigint not null check (burst > 0),
  lent         integer not null default 0 check (lent >= 0),
  lent_before  integer not null default 0 check (lent_before >= 0),
  primary key (kind, caller)
) with (fillfactor = 50);

-- Times of one caller's calls, oldest first, as far back as the longest window.
create unlogged table rare_call (
  kind       text collate "C" not null,
  caller     text collate "C" not null,
  called_at  bigint[] not null,
  last_at    bigint not null,
  primary key (kind, caller)
);

-- Streams of one caller that one process has open. They count as long as the process has its lease.
create unlogged table stream_slot (
  caller      text collate "C" not null,
  process_id  text collate "C" not null,
  slots       integer not null check (slots > 0),
  primary key (caller, process_id)
);
