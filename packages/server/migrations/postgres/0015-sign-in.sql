-- People who sign in, and what they may do. The sign_in_ tables belong to the sign-in library, which has column types
-- of its own; nothing else names them but the room that wraps it. A session's token alone opens nothing: the cookie
-- carries it with a signature made with the session secret. Tokens of links are kept as hashes.
create table sign_in_user (
  id              text collate "C" not null primary key,
  name            text not null,
  email           text not null unique,
  email_verified  boolean not null,
  image           text,
  created_at      timestamptz not null,
  updated_at      timestamptz not null
);

create table sign_in_session (
  id          text collate "C" not null primary key,
  user_id     text collate "C" not null references sign_in_user on delete cascade,
  token       text not null unique,
  expires_at  timestamptz not null,
  ip_address  text,
  user_agent  text,
  created_at  timestamptz not null,
  updated_at  timestamptz not null
);

create index sign_in_session_by_user on sign_in_session (user_id);

create table sign_in_account (
  id                        text collate "C" not null primary key,
  user_id                   text collate "C" not null references sign_in_user on delete cascade,
  account_id                text collate "C" not null,
  provider_id               text collate "C" not null,
  access_token              text,
  refresh_token             text,
  id_token                  text,
  access_token_expires_at   timestamptz,
  refresh_token_expires_at  timestamptz,
  scope                     text,
  password                  text,
  created_at                timestamptz not null,
  updated_at                timestamptz not null
);

create index sign_in_account_by_user on sign_in_account (user_id);

create table sign_in_verification (
  id          text collate "C" not null primary key,
  identifier  text not null,
  value       text not null,
  expires_at  timestamptz not null,
  created_at  timestamptz not null,
  updated_at  timestamptz not null
);

create index sign_in_verification_by_identifier on sign_in_verification (identifier);

create table sign_in_rate_limit (
  id            text collate "C" not null primary key,
  key           text not null unique,
  count         integer not null,
  last_request  bigint not null
);

create table sign_in_wallet (
  id          text collate "C" not null primary key,
  user_id     text collate "C" not null references sign_in_user on delete cascade,
  address     text not null,
  chain_id    integer not null,
  is_primary  boolean not null,
  created_at  timestamptz not null,
  unique (address, chain_id)
);

-- Whoever runs the gateway. The first one comes in by a token that the start prints; its hash stands here until then.
create table operator (
  user_id     text collate "C" not null primary key references sign_in_user on delete cascade,
  created_at  bigint not null
);

create table first_run_token (
  token_hash  text not null primary key,
  created_at  bigint not null
);

-- What an operator sets while the gateway runs: one row a setting, its value as JSON text.
create table gateway_setting (
  name        text not null primary key,
  value       text not null,
  updated_at  bigint not null,
  updated_by  text
);

-- A person's first team, made once however many requests arrive at the same time.
alter table team add column personal_user_id text;
create unique index team_by_personal_user on team (personal_user_id) where personal_user_id is not null;

create table team_member (
  team_id     text collate "C" not null references team on delete restrict,
  user_id     text collate "C" not null references sign_in_user on delete cascade,
  role        text not null check (role in ('owner', 'admin', 'billing', 'member', 'viewer')),
  created_at  bigint not null,
  primary key (team_id, user_id)
);

create index team_member_by_user on team_member (user_id);

create table team_invitation (
  invitation_id  text collate "C" not null primary key,
  team_id        text collate "C" not null references team on delete restrict,
  email          text not null,
  role           text not null check (role in ('admin', 'billing', 'member', 'viewer')),
  token_hash     text not null unique,
  invited_by     text collate "C" not null,
  created_at     bigint not null,
  expires_at     bigint not null,
  accepted_at    bigint,
  revoked_at     bigint
);

create index team_invitation_by_team on team_invitation (team_id);
create index team_invitation_by_email on team_invitation (email);

-- Who made a key in the console; null for keys that an operator's command made.
alter table api_key add column created_by text;
-- A key that the console made for its own playground: not listed among the user's keys unless asked for.
alter table api_key add column purpose text not null default 'user' check (purpose in ('user', 'playground'));
