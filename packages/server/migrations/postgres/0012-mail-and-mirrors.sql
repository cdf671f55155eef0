-- Letters until they are delivered, the recipients who want none, and which key a mirrored key came through. A letter
-- keeps its recipient and its text only while it waits; the hash of the recipient stays, so that the limits and "once
-- for each deposit and recipient" hold for good. Writers of letters lock the one row of mail_gate first, so that two
-- processes never count the same free place.
create table mail_outbox (
  mail_id          text collate "C" not null primary key,
  kind             text not null check (kind = 'funding_receipt'),
  account_id       text collate "C" not null references account on delete restrict,
  topic            text collate "C" not null,
  recipient        text,
  recipient_hash   text collate "C" not null,
  content          text,
  state            text not null check (state in ('queued', 'sent', 'failed')),
  attempts         integer not null default 0 check (attempts >= 0),
  created_at       bigint not null,
  next_attempt_at  bigint not null,
  ended_at         bigint,
  error_code       text,
  check ((state = 'queued') = (ended_at is null)),
  check ((state = 'queued') = (recipient is not null)),
  check ((state = 'queued') = (content is not null))
);

create unique index mail_outbox_once on mail_outbox (topic, recipient_hash) where state <> 'failed';
create index mail_outbox_due on mail_outbox (next_attempt_at) where state = 'queued';
create index mail_outbox_by_account on mail_outbox (account_id, created_at);
create index mail_outbox_by_recipient on mail_outbox (recipient_hash, created_at);
create index mail_outbox_by_time on mail_outbox (created_at);

create table mail_suppression (
  recipient_hash  text collate "C" not null primary key,
  created_at      bigint not null
);

create table mail_gate (
  gate_id    integer not null primary key check (gate_id = 1),
  passed_at  bigint not null
);

insert into mail_gate (gate_id, passed_at) values (1, 0);

alter table api_key add column mirrored_by text collate "C" references api_key on delete restrict;

create index api_key_by_mirror on api_key (mirrored_by) where mirrored_by is not null;

-- What an operator decided about a deposit, and why. Kept for good, beside the deposit's own present note.
create table deposit_decision (
  decision_id  text collate "C" not null primary key,
  deposit_id   text collate "C" not null references deposit on delete restrict,
  decision     text not null check (decision in ('release', 'reject')),
  reason       text not null,
  price        text,
  decided_by   text not null,
  decided_at   bigint not null
);

create index deposit_decision_by_deposit on deposit_decision (deposit_id, decision_id);

create trigger deposit_decision_is_append_only before update or delete on deposit_decision
  for each row execute function refuse_change();

create trigger deposit_decision_is_never_emptied before truncate on deposit_decision
  for each statement execute function refuse_change();
