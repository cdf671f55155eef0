-- Requests that carry an Idempotency-Key: one row for each caller (a key, or a person in the console) and name of theirs. The name is kept as a hash
-- and the answer sealed, so that neither can be read here. Rows are forgotten after a day.
create table idempotent_request (
  caller_id   text not null,
  name_hash   text not null,
  body_hash   text not null,
  request_id  text not null,
  process_id  text not null,
  state       text not null check (state = 'running' or state = 'answered' or state = 'unkept'),
  answer      text,
  expires_at  integer not null,
  primary key (caller_id, name_hash),
  check ((state = 'answered') = (answer is not null))
) strict;

create index idempotent_request_by_expiry on idempotent_request (expires_at);
