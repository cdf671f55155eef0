-- What operators tell everybody who signs in: news, and times in which the gateway may not answer. Nothing is deleted.
-- Source: decision 0171.
create table announcement (
  announcement_id  text not null primary key,
  kind             text not null check (kind in ('news', 'maintenance')),
  title            text not null,
  body             text not null,
  -- Of a maintenance: the time that it takes. News have no end unless one is given.
  starts_at        integer not null,
  ends_at          integer check (ends_at > starts_at),
  created_at       integer not null,
  created_by       text not null,
  -- Set once an operator has taken it back.
  withdrawn_at     integer,
  check (kind = 'news' or ends_at is not null)
) strict, without rowid;
