-- Accounts with their balances, teams, and the budgets that cap spending. A balance can never be overdrawn: posted -
-- held >= 0 holds at every moment, whichever process writes. System accounts have no row.
create table account (
  account_id  text not null primary key,
  name        text not null,
  status      text not null check (status in ('active', 'suspended')),
  created_at  integer not null,
  -- A closed account is suspended for good; its rows and its credits stay.
  closed_at   integer check (closed_at is null or status = 'suspended')
) strict, without rowid;

create table balance (
  account_id  text not null primary key references account on delete restrict,
  posted      integer not null default 0,
  held        integer not null default 0 check (held >= 0),
  check (posted - held >= 0)
) strict, without rowid;

create table budget (
  budget_id          text not null primary key,
  limit_nanocredits  integer check (limit_nanocredits >= 0),
  period             text not null check (period in ('none', 'daily', 'weekly', 'monthly'))
) strict, without rowid;

-- What a budget has counted, a row for each period: charges, and what open holds keep back. A period has its row from
-- its first hold on, and keeps it: a clock that jumps ahead opens another row and comes back to the one that counts.
create table budget_window (
  budget_id     text not null references budget on delete restrict,
  window_start  integer not null,
  spent         integer not null default 0 check (spent >= 0),
  reserved      integer not null default 0 check (reserved >= 0),
  primary key (budget_id, window_start)
) strict, without rowid;

create table team (
  team_id           text not null primary key,
  account_id        text not null references account on delete restrict,
  budget_id         text references budget on delete restrict,
  name              text not null,
  -- The person whose first team it is; null for every other team. It is made once, however many requests arrive at
  -- once.
  personal_user_id  text,
  created_at        integer not null,
  -- How long a key still works after a member who has seen its secret lost the right to handle it: at most a day.
  rotation_overlap_ms  integer not null default 86400000 check (rotation_overlap_ms between 0 and 86400000)
) strict, without rowid;

create index team_by_account on team (account_id);
create unique index team_by_personal_user on team (personal_user_id) where personal_user_id is not null;
