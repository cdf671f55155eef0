-- Video jobs that an upstream has begun. A job has one hold for as long as it lives, and the hold names no process but
-- the jobs as its owner: processes come and go meanwhile. What was decided of a job is written before it is charged, so
-- that a process that goes on after a crash charges the same. A prompt is never stored. `next_step_at` is when the job
-- must be polled next, whether a client asks or not; the partial index keeps that search off the jobs that are done
-- with. `file_missed_at` is when the upstream first called the job completed while its file was not there, and null
-- once it works on it again.
create table video_job (
  job_id           text collate "C" not null primary key,
  hold_id          text collate "C" not null unique references hold on delete restrict,
  account_id       text collate "C" not null references account on delete restrict,
  key_id           text collate "C" not null references api_key on delete restrict,
  model            text not null,
  upstream         text not null,
  upstream_model   text not null,
  upstream_job_id  text not null,
  state            text not null
    check (state in ('queued', 'in_progress', 'completed', 'failed')),
  progress         integer not null default 0 check (progress between 0 and 100),
  seconds          integer not null check (seconds >= 1),
  size             text,
  price            text not null,
  estimate_amount  bigint not null check (estimate_amount >= 0),
  created_at       bigint not null,
  next_step_at     bigint,
  failures         integer not null default 0 check (failures >= 0),
  ended_at         bigint,
  error_code       text,
  cost_usd         text,
  outputs          integer check (outputs >= 1),
  settled_at       bigint,
  charge           bigint check (charge >= 0),
  file_missed_at   bigint,
  first_read_at    bigint,
  files            text,
  deleted_at       bigint,
  check ((state = 'completed' or state = 'failed') = (ended_at is not null)),
  check (state <> 'completed' or outputs is not null),
  check ((state = 'failed') = (error_code is not null)),
  check ((settled_at is null) = (charge is null)),
  check (settled_at is null or ended_at is not null),
  check (state <> 'failed' or charge is null or charge = 0),
  check (first_read_at is null or (settled_at is not null and state = 'completed')),
  check (deleted_at is null or settled_at is not null)
);

create index video_job_by_account on video_job (account_id, job_id) where deleted_at is null;
create index video_job_due on video_job (next_step_at) where next_step_at is not null;
create index video_job_open on video_job (state) where settled_at is null;
