-- Keys. Only the hash of a raw key is stored. Every key has a budget row, capped or not, because it counts the key's
-- spending. The partial index lets every process ask once a second for what was revoked lately.
create table api_key (
  key_id               text collate "C" not null primary key,
  team_id              text collate "C" not null references team on delete restrict,
  account_id           text collate "C" not null references account on delete restrict,
  budget_id            text collate "C" not null references budget on delete restrict,
  name                 text not null,
  key_hash             text collate "C" not null unique,
  pepper_version       integer not null,
  display              text not null,
  rights               text not null,
  models               text,
  expires_at           bigint,
  revoked_at           bigint,
  created_at           bigint not null,
  last_used_at         bigint,
  -- The key through which this one was mirrored; null for a key that was made here.
  mirrored_by          text collate "C" references api_key on delete restrict,
  -- Who made the key in the console; null where an operator's command made it.
  created_by           text,
  -- A personal key ends with its maker's right to have one in the team, a key of the console's playground with that and
  -- with its browser session. A service key is the team's.
  kind                 text not null default 'service' check (kind in ('personal', 'service', 'playground')),
  -- The browser session with which a playground key ends. The session may be gone while the key's row stays for its
  -- usage records, so nothing refers.
  session_id           text,
  -- Requests a minute; null means the account's limit.
  requests_per_minute  integer check (requests_per_minute > 0),
  -- When limits last changed, so that every process asks once a second for what it should not remember any longer.
  changed_at           bigint,
  -- A member who has seen the secret may not handle the key any more: it ends then, unless it was rotated before.
  rotate_by            bigint,
  check (kind = 'service' or created_by is not null)
);

create index api_key_by_team on api_key (team_id);
create index api_key_by_account on api_key (account_id);
create index api_key_by_budget on api_key (budget_id);
create index api_key_revoked on api_key (revoked_at) where revoked_at is not null;
create index api_key_by_mirror on api_key (mirrored_by) where mirrored_by is not null;
create index api_key_by_session on api_key (created_by, session_id) where session_id is not null;
create index api_key_changed on api_key (changed_at) where changed_at is not null;

-- Who has seen a key's secret in the console: its maker, or the member who rotated it.
create table key_reader (
  key_id   text collate "C" not null references api_key on delete restrict,
  user_id  text collate "C" not null,
  seen_at  bigint not null,
  primary key (key_id, user_id)
);

create index key_reader_by_user on key_reader (user_id);
