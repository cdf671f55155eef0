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

-- Passwords that were wrong, by account, known browser or person; the name is a hash. Rows are forgotten after a day.
create table sign_in_attempt (
  name_hash   text collate "C" not null primary key,
  failures    bigint not null check (failures > 0),
  -- No password is looked at before.
  wait_until  bigint not null,
  last_at     bigint not null
);

create index sign_in_attempt_by_time on sign_in_attempt (last_at);

-- A terminal that asks to be signed in: RFC 8628. Neither code is kept, only their hashes. The key that a person gives it
-- is derived again from the row under the pepper, so that no secret is at rest.
create table device_request (
  device_hash     text collate "C" not null primary key,
  user_hash       text collate "C" not null unique,
  device_name     text not null,
  -- Whether it asks to make keys of its own.
  wants_keys      smallint not null check (wants_keys in (0, 1)),
  address         text not null,
  created_at      bigint not null,
  expires_at      bigint not null,
  state           text not null default 'waiting' check (state in ('waiting', 'approved', 'denied')),
  -- What the key is derived from beside the row's own id, and the pepper's version; null until it is approved.
  approval_id     text collate "C",
  pepper_version  bigint,
  check ((state = 'approved') = (approval_id is not null and pepper_version is not null))
);

create index device_request_by_end on device_request (expires_at);

-- A second factor of a person: the secret of an authenticator app, sealed under the session secret. It counts once it is
-- confirmed. No code counts twice: the step of the last one is kept.
create table second_factor (
  user_id       text collate "C" not null primary key references sign_in_user on delete cascade,
  secret        text not null,
  created_at    bigint not null,
  confirmed_at  bigint,
  last_step     bigint not null default 0
);

-- Codes for a person without their app, each of which counts once. Hashes of random texts.
create table recovery_code (
  user_id    text collate "C" not null references sign_in_user on delete cascade,
  code_hash  text collate "C" not null,
  used_at    bigint,
  primary key (user_id, code_hash)
);

-- Sessions whose person has proven the second factor. A session that is not here opens nothing, where there is one.
create table proven_session (
  session_id  text collate "C" not null primary key references sign_in_session on delete cascade,
  proven_at   bigint not null
);
