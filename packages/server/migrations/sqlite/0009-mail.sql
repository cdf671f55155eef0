-- E-mail until it is delivered, and the recipients who want none. A message keeps its recipient and its sealed content
-- only while it waits; the hash of the recipient stays, so that the limits and "once for each topic and recipient" hold
-- for good. A message that must not come late has an end of its own. Writers lock the one row of mail_gate first, so
-- that two processes never count the same free place.
create table mail_outbox (
  mail_id          text not null primary key,
  kind             text not null
    check (kind = 'funding_receipt' or kind = 'sign_in_link' or kind = 'invitation' or kind = 'low_balance'),
  account_id       text references account on delete restrict,
  topic            text not null,
  recipient        text,
  recipient_hash   text not null,
  content          text,
  state            text not null check (state = 'queued' or state = 'sent' or state = 'failed'),
  attempts         integer not null default 0 check (attempts >= 0),
  created_at       integer not null,
  next_attempt_at  integer not null,
  expires_at       integer,
  ended_at         integer,
  error_code       text,
  check ((kind = 'sign_in_link') = (account_id is null)),
  check ((state = 'queued') = (ended_at is null)),
  check ((state = 'queued') = (recipient is not null)),
  check ((state = 'queued') = (content is not null))
) strict, without rowid;

create unique index mail_outbox_once on mail_outbox (topic, recipient_hash) where state <> 'failed';
create index mail_outbox_due on mail_outbox (next_attempt_at) where state = 'queued';
create index mail_outbox_by_account on mail_outbox (account_id, created_at);
create index mail_outbox_by_recipient on mail_outbox (recipient_hash, created_at);
create index mail_outbox_by_kind on mail_outbox (kind, created_at);

create table mail_suppression (
  recipient_hash  text not null primary key,
  created_at      integer not null
) strict, without rowid;

create table mail_gate (
  gate_id    integer not null primary key check (gate_id = 1),
  passed_at  integer not null
) strict;

insert into mail_gate (gate_id, passed_at) values (1, 0);
