-- Invoices of months that are over, one for each account and month, numbered over the whole gateway from 1 without a
-- gap: a number is given by the insert itself, and nothing here is changed or deleted. Source: decision 0170.
create table invoice (
  number             integer not null primary key check (number > 0),
  account_id         text collate "C" not null references account on delete restrict,
  -- Of UTC, such as 2026-01.
  month              text collate "C" not null,
  issued_at          bigint not null,
  -- Nanocredits. The charge is what the month's requests took; the correction is signed as the balance got it.
  charge             bigint not null check (charge >= 0),
  correction_amount  bigint not null,
  -- JSON text: both parties as they were, and every line.
  document           text not null,
  unique (account_id, month)
);

create trigger invoice_is_never_changed before update or delete on invoice
  for each row execute function refuse_change();

create trigger invoice_is_never_emptied before truncate on invoice
  for each statement execute function refuse_change();

-- One row, which is locked while a number is given.
create table invoice_series (
  series_id  integer not null primary key check (series_id = 1)
);

insert into invoice_series (series_id) values (1);

-- Whom the invoices of an account are made out to.
create table billing_details (
  account_id  text collate "C" not null primary key references account on delete restrict,
  name        text not null,
  address     text not null,
  tax_id      text,
  updated_at  bigint not null
);
