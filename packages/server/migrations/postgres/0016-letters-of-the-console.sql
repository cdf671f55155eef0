-- Letters of sign-in, invitations and low balances beside receipts. A check cannot be changed in place on every engine,
-- so the table is made anew; it holds few rows, and is locked while they are copied. A letter that must not come late
-- has an end of its own, and the content of new letters is sealed: who reads the database opens no link.
create table mail_outbox_next (
  mail_id          text collate "C" not null primary key,
  kind             text not null
    check (kind = 'funding_receipt' or kind = 'sign_in_link' or kind = 'invitation' or kind = 'low_balance'),
  account_id       text collate "C" references account on delete restrict,
  topic            text collate "C" not null,
  recipient        text,
  recipient_hash   text collate "C" not null,
  content          text,
  state            text not null check (state = 'queued' or state = 'sent' or state = 'failed'),
  attempts         integer not null default 0 check (attempts >= 0),
  created_at       bigint not null,
  next_attempt_at  bigint not null,
  expires_at       bigint,
  ended_at         bigint,
  error_code       text,
  check ((kind = 'sign_in_link') = (account_id is null)),
  check ((state = 'queued') = (ended_at is null)),
  check ((state = 'queued') = (recipient is not null)),
  check ((state = 'queued') = (content is not null))
);

insert into mail_outbox_next
  select mail_id, kind, account_id, topic, recipient, recipient_hash, content, state, attempts, created_at,
         next_attempt_at, null, ended_at, error_code
    from mail_outbox;

drop table mail_outbox;
alter table mail_outbox_next rename to mail_outbox;

create unique index mail_outbox_once on mail_outbox (topic, recipient_hash) where state <> 'failed';
create index mail_outbox_due on mail_outbox (next_attempt_at) where state = 'queued';
create index mail_outbox_by_account on mail_outbox (account_id, created_at);
create index mail_outbox_by_recipient on mail_outbox (recipient_hash, created_at);
create index mail_outbox_by_kind on mail_outbox (kind, created_at);
