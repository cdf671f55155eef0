-- One record per ended request, and its totals per key, day and model. A record is never changed, with one
-- exception: as long as its hold is merely expired, the true outcome may still come in.
create table usage_record (
  usage_id           text collate "C" not null primary key references hold on delete restrict,
  account_id         text collate "C" not null,
  team_id            text collate "C",
  key_id             text collate "C" not null,
  created_at         bigint not null,
  started_at         bigint not null,
  type               text collate "C" not null,
  model              text collate "C" not null,
  upstream           text,
  upstream_model     text,
  status             text not null check (status in ('ok', 'incomplete', 'error', 'cancelled')),
  error_code         text,
  stream             integer not null check (stream in (0, 1)),
  prompt_tokens      bigint,
  completion_tokens  bigint,
  cached_tokens      bigint,
  reasoning_tokens   bigint,
  charge             bigint not null check (charge >= 0),
  write_off          bigint not null check (write_off >= 0),
  cost               bigint not null check (cost >= 0),
  basis              text check (basis in ('card', 'cost', 'list', 'estimate')),
  estimated          integer not null check (estimated in (0, 1)),
  pricing            text,
  generation_id      text,
  latency_ms         bigint
);

create index usage_record_by_key on usage_record (key_id, usage_id);
create index usage_record_by_account on usage_record (account_id, usage_id);
-- Few requests do not end well, and lists of them read no others.
create index usage_record_not_ok_by_key on usage_record (key_id, usage_id) where status <> 'ok';
create index usage_record_not_ok_by_account on usage_record (account_id, usage_id) where status <> 'ok';

create function refuse_usage_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and exists (select 1 from hold where hold.hold_id = old.usage_id and hold.state = 'expired') then
    return new;
  end if;
  raise exception 'a usage record is never changed or deleted' using errcode = 'restrict_violation';
end
$$;

create trigger usage_record_is_append_only before update or delete on usage_record
  for each row execute function refuse_usage_change();

create trigger usage_record_is_never_emptied before truncate on usage_record
  for each statement execute function refuse_change();

create table usage_daily (
  key_id             text collate "C" not null references api_key on delete restrict,
  day                bigint not null,
  type               text collate "C" not null,
  model              text collate "C" not null,
  account_id         text collate "C" not null references account on delete restrict,
  requests           bigint not null check (requests >= 0),
  charge             bigint not null check (charge >= 0),
  prompt_tokens      bigint not null,
  completion_tokens  bigint not null,
  primary key (key_id, day, type, model)
);

create index usage_daily_by_account on usage_daily (account_id, day);

-- How long requests took and how they ended, by hour: how many of them are in a bucket of a measure (decision 0160).
-- The empty key stands for all keys together, which pages of models show.
create table request_timing (
  key_id    text collate "C" not null,
  hour      bigint not null,
  model     text collate "C" not null,
  measure   text collate "C" not null
              check (measure in ('ok', 'failed', 'refused', 'first_content', 'duration', 'speed')),
  bucket    bigint not null check (bucket >= 0),
  requests  bigint not null check (requests > 0),
  primary key (key_id, hour, model, measure, bucket)
);

create index request_timing_by_hour on request_timing (hour);
