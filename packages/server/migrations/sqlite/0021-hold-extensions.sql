-- Each growth of a hold, so that the story of a request tells when it grew and by how much. Written where a hold grows
-- and nowhere else: a request that never extends its hold has no row. Since a hold only grows, its size after a growth
-- names the growth. What was held at first is what is held less all that was added. Nothing is locked.
create table hold_extension (
  hold_id      text not null references hold on delete restrict,
  amount       integer not null check (amount >= added_amount),
  added_amount integer not null check (added_amount > 0),
  extended_at  integer not null,
  primary key (hold_id, amount)
) strict, without rowid;
