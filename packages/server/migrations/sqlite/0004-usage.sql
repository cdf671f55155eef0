-- One record per ended request, and its totals per key, day and model. A record is never changed, with one
-- exception: as long as its hold is merely expired, the true outcome may still come in.
create table usage_record (
  usage_id           text not null primary key references hold on delete restrict,
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

create index usage_record_by_key on usage_record (key_id, usage_id);
create index usage_record_by_account on usage_record (account_id, usage_id);
-- Few requests do not end well, and lists of them read no others.
create index usage_record_not_ok_by_key on usage_record (key_id, usage_id) where status <> 'ok';
create index usage_record_not_ok_by_account on usage_record (account_id, usage_id) where status <> 'ok';

create trigger usage_record_is_never_updated before update on usage_record
when not exists (select 1 from hold where hold.hold_id = old.usage_id and hold.state = 'expired')
begin
  select raise(abort, 'a usage record is never changed');
end;

create trigger usage_record_is_never_deleted before delete on usage_record
begin
  select raise(abort, 'a usage record is never deleted');
end;

create table usage_daily (
  key_id             text not null references api_key on delete restrict,
  day                integer not null,
  type               text not null,
  model              text not null,
  account_id         text not null references account on delete restrict,
  requests           integer not null check (requests >= 0),
  charge             integer not null check (charge >= 0),
  prompt_tokens      integer not null,
  completion_tokens  integer not null,
  primary key (key_id, day, type, model)
) strict, without rowid;

create index usage_daily_by_account on usage_daily (account_id, day);

-- How long requests took and how they ended, by hour: how many of them are in a bucket of a measure (decision 0160).
-- The empty key stands for all keys together, which pages of models show.
create table request_timing (
  key_id    text not null,
  hour      integer not null,
  model     text not null,
  measure   text not null check (measure in ('ok', 'failed', 'refused', 'first_content', 'duration', 'speed')),
  bucket    integer not null check (bucket >= 0),
  requests  integer not null check (requests > 0),
  primary key (key_id, hour, model, measure, bucket)
) strict, without rowid;

create index request_timing_by_hour on request_timing (hour);
