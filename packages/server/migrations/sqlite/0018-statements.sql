-- A statement reads what moved one account's balance in the order in which it was booked. A deposit says since when its
-- block is known to be final.
create index transfer_by_account on transfer (account_id, created_at, transfer_id);

alter table deposit add column final_at integer;
