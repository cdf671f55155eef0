-- Keys. Only the hash of a raw key is stored. Every key has a budget row, capped or not, because it counts the key's
-- spending. The partial index lets every process ask once a second for what was revoked lately.
create table api_key (
  key_id          text collate "C" not null primary key,
  team_id         text collate "C" not null references team on delete restrict,
  account_id      text collate "C" not null references account on delete restrict,
  budget_id       text collate "C" not null references budget on delete restrict,
  name            text not null,
  key_hash        text collate "C" not null unique,
  pepper_version  integer not null,
  display         text not null,
  rights          text not null,
  models          text,
  expires_at      bigint,
  revoked_at      bigint,
  created_at      bigint not null,
  last_used_at    bigint
);

create index api_key_by_team on api_key (team_id);
create index api_key_by_account on api_key (account_id);
create index api_key_by_budget on api_key (budget_id);
create index api_key_revoked on api_key (revoked_at) where revoked_at is not null;
