-- Responses that teams have stored: what was asked and answered, sealed under a secret that is not here, for one team
-- and one id. `length` is that of the sealed text.
create table stored_response (
  team_id      text not null references response_storage on delete cascade,
  response_id  text not null,
  sealed       text not null,
  length       integer not null check (length = length(sealed)),
  created_at   integer not null,
  expires_at   integer not null,
  primary key (team_id, response_id)
) strict;

create index stored_response_by_expiry on stored_response (expires_at);
