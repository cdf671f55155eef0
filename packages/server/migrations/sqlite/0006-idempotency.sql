-- Requests that carry an Idempotency-Key: one row for each key of ours and name of theirs. The name is kept as a hash
-- and the answer sealed, so that neither can be read here. Rows are forgotten after a day.
create table idempotent_request (
  key_id      text not null references api_key on delete restrict,
  name_hash   text not null,
  body_hash   text not null,
  request_id  text not null,
  process_id  text not null,
  state       text not null check (state = 'running' or state = 'answered' or state = 'unkept'),
  answer      text,
  expires_at  integer not null,
  primary key (key_id, name_hash),
  check ((state = 'answered') = (answer is not null))
) strict;

create index idempotent_request_by_expiry on idempotent_request (expires_at);
