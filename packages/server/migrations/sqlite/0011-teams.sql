-- Who belongs to a team and in which role, and who is invited. One open invitation for each team and address.
create table team_member (
  team_id     text not null references team on delete restrict,
  user_id     text not null references sign_in_user on delete cascade,
  role        text not null check (role in ('owner', 'admin', 'billing', 'member', 'viewer')),
  created_at  integer not null,
  primary key (team_id, user_id)
) strict, without rowid;

create index team_member_by_user on team_member (user_id);

-- Who may have keys of their own in a team: the roles with the right `keys:own`.
create view team_key_holder as
  select team_id, user_id from team_member where role in ('owner', 'admin', 'member');

create table team_invitation (
  invitation_id  text not null primary key,
  team_id        text not null references team on delete restrict,
  email          text not null,
  role           text not null check (role in ('admin', 'billing', 'member', 'viewer')),
  token_hash     text not null unique,
  invited_by     text not null,
  created_at     integer not null,
  expires_at     integer not null,
  accepted_at    integer,
  accepted_by    text,
  revoked_at     integer
) strict, without rowid;

create index team_invitation_by_team on team_invitation (team_id);
create index team_invitation_by_email on team_invitation (email);
create unique index team_invitation_open on team_invitation (team_id, email)
 where accepted_at is null and revoked_at is null;

-- Teams that want to be told when their credits run low. When an alert last changed is part of the topic of its next
-- message, so that any number of processes write one message for each fall.
create table team_alert (
  team_id                text not null primary key references team on delete restrict,
  threshold_nanocredits  integer not null check (threshold_nanocredits > 0),
  is_low                 integer not null check (is_low = 0 or is_low = 1),
  changed_at             integer not null
) strict, without rowid;

-- Teams that have their responses stored. Where the row goes, everything that was stored for it goes.
create table response_storage (
  team_id     text not null primary key references team on delete restrict,
  created_at  integer not null
) strict, without rowid;
