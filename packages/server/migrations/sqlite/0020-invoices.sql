-- Invoices of months that are over, one for each account and month, numbered over the whole gateway from 1 without a
-- gap: a number is given by the insert itself, and nothing here is changed or deleted. Source: decision 0170.
create table invoice (
  number             integer not null primary key check (number > 0),
  account_id         text not null references account on delete restrict,
  -- Of UTC, such as 2026-01.
  month              text not null,
  issued_at          integer not null,
  -- Nanocredits. The charge is what the month's requests took; the correction is signed as the balance got it.
  charge             integer not null check (charge >= 0),
  correction_amount  integer not null,
  -- JSON text: both parties as they were, and every line.
  document           text not null,
  unique (account_id, month)
) strict, without rowid;

create trigger invoice_is_never_changed before update on invoice
begin
  select raise(abort, 'an invoice is never changed');
end;

create trigger invoice_is_never_deleted before delete on invoice
begin
  select raise(abort, 'an invoice is never deleted');
end;

-- One row, which is locked while a number is given.
create table invoice_series (
  series_id  integer not null primary key check (series_id = 1)
) strict;

insert into invoice_series (series_id) values (1);

-- Whom the invoices of an account are made out to.
create table billing_details (
  account_id  text not null primary key references account on delete restrict,
  name        text not null,
  address     text not null,
  tax_id      text,
  updated_at  integer not null
) strict, without rowid;
