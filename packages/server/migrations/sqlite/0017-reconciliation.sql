-- What a usage record does not say of its request: attempts that failed, and generations beside the one that it names.
-- Written after the settlement, beside the requests; a request whose only attempt went well has no row.
create table request_attempt (
  request_id      text not null,
  number          integer not null,
  upstream        text not null,
  upstream_model  text not null,
  ended_at        integer not null,
  failure         text,
  generation_id   text,
  cost            integer,
  primary key (request_id, number)
) strict, without rowid;

-- Comparisons of a day with what an upstream says that it has billed: one at a time for each upstream, over all
-- processes.
create table reconciliation (
  run_id       text not null primary key,
  upstream     text not null,
  day          text not null,
  started_at   integer not null,
  started_by   text not null,
  lease_until  integer not null,
  ended_at     integer,
  differences  integer,
  report       text,
  failure      text,
  check ((report is null) = (differences is null)),
  check (ended_at is null or (report is null) <> (failure is null))
) strict, without rowid;

create unique index reconciliation_at_once on reconciliation (upstream) where ended_at is null;
create index reconciliation_of_day on reconciliation (upstream, day, run_id);
