-- Accounts with their balances, teams, and the budgets that cap spending. A balance can never be overdrawn: posted -
-- held >= 0 holds at every moment, whichever process writes. System accounts have no row. Balances and budgets are
-- updated all the time and never indexed further, so room in the page keeps those updates in place.
create table account (
  account_id  text collate "C" not null primary key,
  name        text not null,
  status      text not null check (status in ('active', 'suspended')),
  created_at  bigint not null,
  -- A closed account is suspended for good; its rows and its credits stay.
  closed_at   bigint check (closed_at is null or status = 'suspended')
);

create table balance (
  account_id  text collate "C" not null primary key references account on delete restrict,
  posted      bigint not null default 0,
  held        bigint not null default 0 check (held >= 0),
  check (posted - held >= 0)
) with (fillfactor = 50);

create table budget (
  budget_id          text collate "C" not null primary key,
  limit_nanocredits  bigint check (limit_nanocredits >= 0),
  period             text not null check (period in ('none', 'daily', 'weekly', 'monthly'))
) with (fillfactor = 50);

-- What a budget has counted, a row for each period: charges, and what open holds keep back. A period has its row from
-- its first hold on, and keeps it: a clock that jumps ahead opens another row and comes back to the one that counts.
create table budget_window (
  budget_id     text collate "C" not null references budget on delete restrict,
  window_start  bigint not null,
  spent         bigint not null default 0 check (spent >= 0),
  reserved      bigint not null default 0 check (reserved >= 0),
  primary key (budget_id, window_start)
);

create table team (
  team_id           text collate "C" not null primary key,
  account_id        text collate "C" not null references account on delete restrict,
  budget_id         text collate "C" references budget on delete restrict,
  name              text not null,
  -- The person whose first team it is; null for every other team. It is made once, however many requests arrive at
  -- once.
  personal_user_id  text,
  created_at        bigint not null,
  -- How long a key still works after a member who has seen its secret lost the right to handle it: at most a day.
  rotation_overlap_ms  bigint not null default 86400000 check (rotation_overlap_ms between 0 and 86400000)
);

create index team_by_account on team (account_id);
create unique index team_by_personal_user on team (personal_user_id) where personal_user_id is not null;
