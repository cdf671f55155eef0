-- Responses that teams have stored: what was asked and answered, sealed under a secret that is not here, for one team
-- and one id. `length` is that of the sealed text.
create table stored_response (
  team_id      text collate "C" not null references response_storage on delete cascade,
  response_id  text collate "C" not null,
  sealed       text not null,
  length       bigint not null check (length = length(sealed)),
  created_at   bigint not null,
  expires_at   bigint not null,
  primary key (team_id, response_id)
);

create index stored_response_by_expiry on stored_response (expires_at);
