-- Accounts with their balances, teams, and the budgets that cap spending. A balance can never be overdrawn: posted -
-- held >= 0 holds at every moment, whoever writes. System accounts have no row. Balances and budgets are updated all
-- the time and never indexed further, so room in the page keeps those updates in place.
create table account (
  account_id  text collate "C" not null primary key,
  name        text not null,
  status      text not null check (status in ('active', 'suspended')),
  created_at  bigint not null
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
  period             text not null check (period in ('none', 'daily', 'weekly', 'monthly')),
  window_start       bigint not null default 0,
  spent              bigint not null default 0 check (spent >= 0),
  reserved           bigint not null default 0 check (reserved >= 0)
) with (fillfactor = 50);

create table team (
  team_id     text collate "C" not null primary key,
  account_id  text collate "C" not null references account on delete restrict,
  budget_id   text collate "C" references budget on delete restrict,
  name        text not null,
  created_at  bigint not null
);

create index team_by_account on team (account_id);
