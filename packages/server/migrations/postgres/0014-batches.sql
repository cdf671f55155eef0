-- Batches: the requests of a file, made one after the other beside the requests of others. Nothing is held for a batch:
-- each line is a request with a hold of its own. `owner` is the process that works on it until `next_step_at`; then any
-- other may take it. `next_line` and `next_offset` are where the file is read on. `next_step_at` is null once it ended.
create table batch (
  batch_id        text collate "C" not null primary key,
  account_id      text collate "C" not null references account on delete restrict,
  key_id          text collate "C" not null references api_key on delete restrict,
  endpoint        text not null,
  input_file_id   text collate "C" not null,
  metadata        text,
  card_percent    integer not null check (card_percent between 1 and 100),
  line_most       text,
  output_seconds  integer,
  state           text not null
    check (state = 'validating' or state = 'failed' or state = 'in_progress' or state = 'finalizing'
      or state = 'completed' or state = 'expired' or state = 'cancelling' or state = 'cancelled'),
  lines_total     integer not null default 0 check (lines_total >= 0),
  lines_completed integer not null default 0 check (lines_completed >= 0),
  lines_failed    integer not null default 0 check (lines_failed >= 0),
  next_line       integer not null default 0 check (next_line >= 0),
  next_offset     bigint not null default 0 check (next_offset >= 0),
  kept_bytes      bigint not null default 0 check (kept_bytes >= 0),
  errors          text,
  output_file_id  text collate "C",
  error_file_id   text collate "C",
  created_at      bigint not null,
  expires_at      bigint not null,
  started_at      bigint,
  finalizing_at   bigint,
  cancelling_at   bigint,
  ended_at        bigint,
  owner           text collate "C",
  next_step_at    bigint,
  check ((state = 'failed') = (errors is not null)),
  check ((state = 'failed' or state = 'completed' or state = 'expired' or state = 'cancelled')
    = (ended_at is not null)),
  check ((ended_at is null) = (next_step_at is not null)),
  check (lines_completed + lines_failed <= lines_total)
);

create index batch_by_account on batch (account_id, batch_id);
create index batch_due on batch (next_step_at) where next_step_at is not null;
create index batch_reading on batch (input_file_id) where ended_at is null;

-- Lines of batches that were begun, until the batch has ended. `result` is the line of its file, sealed: it is written
-- before the line is charged, so that a process that goes on after a crash finds what was paid for. `request_id` is who
-- works on it now: whoever takes it over changes that, and the one before can write nothing any more.
create table batch_line (
  batch_id     text collate "C" not null references batch on delete cascade,
  line         integer not null check (line >= 0),
  start_at     bigint not null check (start_at >= 0),
  byte_length  integer not null check (byte_length >= 0),
  request_id   text collate "C" not null,
  process_id   text collate "C" not null,
  attempts     integer not null check (attempts >= 1),
  state        text not null check (state = 'running' or state = 'completed' or state = 'failed'),
  result       text,
  primary key (batch_id, line),
  check (state = 'running' or result is not null)
);
