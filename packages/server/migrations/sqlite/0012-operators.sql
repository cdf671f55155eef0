-- Operators. The first one comes in by a token that the start prints; its hash stands here until then.
create table operator (
  user_id     text not null primary key references sign_in_user on delete cascade,
  created_at  integer not null
) strict, without rowid;

create table first_run_token (
  token_hash  text not null primary key,
  created_at  integer not null
) strict, without rowid;

-- What an operator sets while the gateway runs: one row a setting, its value as JSON text.
create table gateway_setting (
  name        text not null primary key,
  value       text not null,
  updated_at  integer not null,
  updated_by  text
) strict, without rowid;

-- What operators did, by page or by command: written before the input, with its outcome noted once afterwards. An entry
-- without an outcome tells that its process died in between. Nothing here is changed otherwise, or deleted.
create table operator_action (
  action_id      text not null primary key,
  acted_at       integer not null,
  operator_id    text,
  operator_name  text not null,
  way            text not null check (way in ('console', 'command', 'start')),
  action         text not null,
  account_id     text,
  subject        text,
  reason         text,
  details        text not null,
  outcome        text check (outcome in ('done', 'unchanged', 'refused', 'failed')),
  ended_at       integer,
  check ((outcome is null) = (ended_at is null))
) strict, without rowid;

create index operator_action_by_account on operator_action (account_id, action_id) where account_id is not null;
create index operator_action_by_action on operator_action (action, action_id);

create trigger operator_action_ends_once before update on operator_action
when old.outcome is not null
  or (old.action_id, old.acted_at, old.operator_name, old.way, old.action, old.details)
    <> (new.action_id, new.acted_at, new.operator_name, new.way, new.action, new.details)
  or old.operator_id is not new.operator_id or old.account_id is not new.account_id
  or old.subject is not new.subject or old.reason is not new.reason
begin
  select raise(abort, 'an entry of the journal is never changed');
end;

create trigger operator_action_is_never_deleted before delete on operator_action
begin
  select raise(abort, 'an entry of the journal is never deleted');
end;

-- Audits that were asked for in the console: one at a time, over all processes.
create table audit_run (
  run_id       text not null primary key,
  started_at   integer not null,
  started_by   text not null,
  lease_until  integer not null,
  ended_at     integer,
  breaches     integer,
  report       text,
  failure      text,
  check ((report is null) = (breaches is null)),
  check (ended_at is null or (report is null) <> (failure is null))
) strict, without rowid;

create unique index audit_run_at_once on audit_run ((ended_at is null)) where ended_at is null;

-- Whether the store holds live money or the test money of a sandbox: one row, written by the first start. No start
-- serves the other kind. Source: decision 0105.
create table store_kind (
  store_id    integer not null primary key check (store_id = 1),
  kind        text not null check (kind in ('live', 'test')),
  stamped_at  integer not null
) strict;
