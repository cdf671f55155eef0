-- What a usage record does not say of its request: attempts that failed, and generations beside the one that it names.
-- Written after the settlement, beside the requests; a request whose only attempt went well has no row.
create table request_attempt (
  request_id      text collate "C" not null,
  number          integer not null,
  upstream        text not null,
  upstream_model  text not null,
  ended_at        bigint not null,
  failure         text,
  generation_id   text,
  cost            bigint,
  primary key (request_id, number)
);

-- Comparisons of a day with what an upstream says that it has billed: one at a time for each upstream, over all
-- processes.
create table reconciliation (
  run_id       text collate "C" not null primary key,
  upstream     text collate "C" not null,
  day          text collate "C" not null,
  started_at   bigint not null,
  started_by   text not null,
  lease_until  bigint not null,
  ended_at     bigint,
  differences  integer,
  report       text,
  failure      text,
  check ((report is null) = (differences is null)),
  check (ended_at is null or (report is null) <> (failure is null))
);

create unique index reconciliation_at_once on reconciliation (upstream) where ended_at is null;
create index reconciliation_of_day on reconciliation (upstream, day, run_id);
