-- Records of requests that were moved to files (decision 0163). Transfers stay: balances and statements need no file.
-- Each file has the requests from `first_id` to `last_id`, as far as these could leave; the ranges ascend. What other
-- rows are compared with by the audit is carried on, file by file. Only what a file covers may be deleted.
create table archive_file (
  file_id      integer not null primary key check (file_id > 0),
  name         text not null unique,
  first_id     text not null,
  last_id      text not null check (last_id >= first_id),
  requests     integer not null check (requests > 0),
  byte_length  integer not null check (byte_length > 0),
  sha256       text not null check (length(sha256) = 64),
  archived_at  integer not null
) strict;

create unique index archive_file_by_last on archive_file (last_id);

-- What the records of a file add up to. `free_requests` have no transfer.
create table archived_usage (
  file_id            integer not null references archive_file on delete restrict,
  key_id             text not null references api_key on delete restrict,
  day                integer not null,
  type               text not null,
  model              text not null,
  account_id         text not null references account on delete restrict,
  requests           integer not null check (requests > 0),
  free_requests      integer not null check (free_requests between 0 and requests),
  charge             integer not null check (charge >= 0),
  write_off          integer not null check (write_off >= 0),
  cost               integer not null check (cost >= 0),
  prompt_tokens      integer not null,
  completion_tokens  integer not null,
  primary key (file_id, key_id, day, type, model)
) strict, without rowid;

-- What the requests of a file count in each period of a budget.
create table archived_budget (
  file_id       integer not null references archive_file on delete restrict,
  budget_id     text not null references budget on delete restrict,
  window_start  integer not null,
  charge        integer not null check (charge >= 0),
  primary key (file_id, budget_id, window_start)
) strict, without rowid;

create trigger archive_file_is_never_updated before update on archive_file
begin
  select raise(abort, 'a file of the archive is never changed');
end;

create trigger archive_file_is_never_deleted before delete on archive_file
begin
  select raise(abort, 'a file of the archive is never deleted');
end;

create trigger archived_usage_is_never_updated before update on archived_usage
begin
  select raise(abort, 'what is carried on is never changed');
end;

create trigger archived_usage_is_never_deleted before delete on archived_usage
begin
  select raise(abort, 'what is carried on is never deleted');
end;

create trigger archived_budget_is_never_updated before update on archived_budget
begin
  select raise(abort, 'what is carried on is never changed');
end;

create trigger archived_budget_is_never_deleted before delete on archived_budget
begin
  select raise(abort, 'what is carried on is never deleted');
end;

drop trigger usage_record_is_never_deleted;

create trigger usage_record_is_never_deleted before delete on usage_record
when old.usage_id > coalesce((select max(last_id) from archive_file), '')
begin
  select raise(abort, 'a usage record is never deleted');
end;
