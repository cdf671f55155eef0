-- People who sign in, and what they may do. The sign_in_ tables belong to the sign-in library, which writes times as
-- ISO 8601 text here; nothing else names them but the room that wraps it. A session's token alone opens nothing: the
-- cookie carries it with a signature made with the session secret. Tokens of links are kept as hashes.
create table sign_in_user (
  id              text not null primary key,
  name            text not null,
  email           text not null unique,
  email_verified  integer not null,
  image           text,
  created_at      text not null,
  updated_at      text not null
) strict, without rowid;

create table sign_in_session (
  id          text not null primary key,
  user_id     text not null references sign_in_user on delete cascade,
  token       text not null unique,
  expires_at  text not null,
  ip_address  text,
  user_agent  text,
  created_at  text not null,
  updated_at  text not null
) strict, without rowid;

create index sign_in_session_by_user on sign_in_session (user_id);

create table sign_in_account (
  id                        text not null primary key,
  user_id                   text not null references sign_in_user on delete cascade,
  account_id                text not null,
  provider_id               text not null,
  access_token              text,
  refresh_token             text,
  id_token                  text,
  access_token_expires_at   text,
  refresh_token_expires_at  text,
  scope                     text,
  password                  text,
  created_at                text not null,
  updated_at                text not null
) strict, without rowid;

create index sign_in_account_by_user on sign_in_account (user_id);

create table sign_in_verification (
  id          text not null primary key,
  identifier  text not null,
  value       text not null,
  expires_at  text not null,
  created_at  text not null,
  updated_at  text not null
) strict, without rowid;

create index sign_in_verification_by_identifier on sign_in_verification (identifier);

create table sign_in_rate_limit (
  id            text not null primary key,
  key           text not null unique,
  count         integer not null,
  last_request  integer not null
) strict, without rowid;

create table sign_in_wallet (
  id          text not null primary key,
  user_id     text not null references sign_in_user on delete cascade,
  address     text not null,
  chain_id    integer not null,
  is_primary  integer not null,
  created_at  text not null,
  unique (address, chain_id)
) strict, without rowid;

-- Passwords that were wrong, by account, known browser or person; the name is a hash. Rows are forgotten after a day.
create table sign_in_attempt (
  name_hash   text not null primary key,
  failures    integer not null check (failures > 0),
  -- No password is looked at before.
  wait_until  integer not null,
  last_at     integer not null
) strict, without rowid;

create index sign_in_attempt_by_time on sign_in_attempt (last_at);

-- A terminal that asks to be signed in: RFC 8628. Neither code is kept, only their hashes. The key that a person gives it
-- is derived again from the row under the pepper, so that no secret is at rest.
create table device_request (
  device_hash     text not null primary key,
  user_hash       text not null unique,
  device_name     text not null,
  -- Whether it asks to make keys of its own.
  wants_keys      integer not null check (wants_keys in (0, 1)),
  address         text not null,
  created_at      integer not null,
  expires_at      integer not null,
  state           text not null default 'waiting' check (state in ('waiting', 'approved', 'denied')),
  -- What the key is derived from beside the row's own id, and the pepper's version; null until it is approved.
  approval_id     text,
  pepper_version  integer,
  check ((state = 'approved') = (approval_id is not null and pepper_version is not null))
) strict, without rowid;

create index device_request_by_end on device_request (expires_at);

-- A second factor of a person: the secret of an authenticator app, sealed under the session secret. It counts once it is
-- confirmed. No code counts twice: the step of the last one is kept.
create table second_factor (
  user_id       text not null primary key references sign_in_user on delete cascade,
  secret        text not null,
  created_at    integer not null,
  confirmed_at  integer,
  last_step     integer not null default 0
) strict, without rowid;

-- Codes for a person without their app, each of which counts once. Hashes of random texts.
create table recovery_code (
  user_id    text not null references sign_in_user on delete cascade,
  code_hash  text not null,
  used_at    integer,
  primary key (user_id, code_hash)
) strict, without rowid;

-- Sessions whose person has proven the second factor. A session that is not here opens nothing, where there is one.
create table proven_session (
  session_id  text not null primary key references sign_in_session on delete cascade,
  proven_at   integer not null
) strict, without rowid;

-- A passkey of a person (W3C Web Authentication): the public key, which checks what the person's device has signed.
create table passkey (
  passkey_id     text not null primary key,
  user_id        text not null references sign_in_user on delete cascade,
  credential_id  text not null unique,
  public_key     text not null,
  -- Of the device's uses, as it says; never goes back. 0 for good where the device does not count.
  counter        integer not null check (counter >= 0),
  -- The name of the gateway that it was made for: it works at no other.
  rp_id          text not null,
  transports     text not null,
  is_backed_up   integer not null check (is_backed_up in (0, 1)),
  name           text not null,
  added_at       integer not null,
  last_used_at   integer
) strict, without rowid;

create index passkey_by_user on passkey (user_id);

-- What a device is to sign, once: a hash. The session that adds a passkey or the browser that signs in may answer it, and
-- no other.
create table passkey_challenge (
  challenge_hash  text not null primary key,
  session_id      text references sign_in_session on delete cascade,
  browser_hash    text,
  expires_at      integer not null,
  check ((session_id is null) <> (browser_hash is null))
) strict, without rowid;

create index passkey_challenge_by_end on passkey_challenge (expires_at);
create index passkey_challenge_by_session on passkey_challenge (session_id);
