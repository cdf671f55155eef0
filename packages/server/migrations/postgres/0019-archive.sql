-- Records of requests that were moved to files (decision 0163). Transfers stay: balances and statements need no file.
-- Each file has the requests from `first_id` to `last_id`, as far as these could leave; the ranges ascend. What other
-- rows are compared with by the audit is carried on, file by file. Only what a file covers may be deleted.
create table archive_file (
  file_id      bigint not null primary key check (file_id > 0),
  name         text collate "C" not null unique,
  first_id     text collate "C" not null,
  last_id      text collate "C" not null check (last_id >= first_id),
  requests     bigint not null check (requests > 0),
  byte_length  bigint not null check (byte_length > 0),
  sha256       text collate "C" not null check (length(sha256) = 64),
  archived_at  bigint not null
);

create unique index archive_file_by_last on archive_file (last_id);

-- What the records of a file add up to. `free_requests` have no transfer.
create table archived_usage (
  file_id            bigint not null references archive_file on delete restrict,
  key_id             text collate "C" not null references api_key on delete restrict,
  day                bigint not null,
  type               text collate "C" not null,
  model              text collate "C" not null,
  account_id         text collate "C" not null references account on delete restrict,
  requests           bigint not null check (requests > 0),
  free_requests      bigint not null check (free_requests between 0 and requests),
  charge             bigint not null check (charge >= 0),
  write_off          bigint not null check (write_off >= 0),
  cost               bigint not null check (cost >= 0),
  prompt_tokens      bigint not null,
  completion_tokens  bigint not null,
  primary key (file_id, key_id, day, type, model)
);

-- What the requests of a file count in each period of a budget.
create table archived_budget (
  file_id       bigint not null references archive_file on delete restrict,
  budget_id     text collate "C" not null references budget on delete restrict,
  window_start  bigint not null,
  charge        bigint not null check (charge >= 0),
  primary key (file_id, budget_id, window_start)
);

create trigger archive_file_is_append_only before update or delete on archive_file
  for each row execute function refuse_change();
create trigger archive_file_is_never_emptied before truncate on archive_file
  for each statement execute function refuse_change();
create trigger archived_usage_is_append_only before update or delete on archived_usage
  for each row execute function refuse_change();
create trigger archived_usage_is_never_emptied before truncate on archived_usage
  for each statement execute function refuse_change();
create trigger archived_budget_is_append_only before update or delete on archived_budget
  for each row execute function refuse_change();
create trigger archived_budget_is_never_emptied before truncate on archived_budget
  for each statement execute function refuse_change();

create or replace function refuse_usage_change() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and exists (select 1 from hold where hold.hold_id = old.usage_id and hold.state = 'expired') then
    return new;
  end if;
  if tg_op = 'DELETE' and old.usage_id <= (select max(last_id) from archive_file) then
    return old;
  end if;
  raise exception 'a usage record is never changed or deleted' using errcode = 'restrict_violation';
end
$$;
