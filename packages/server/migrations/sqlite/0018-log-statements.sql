-- What the ledger log states in each of its checkpoints: that a key was lost and replaced, or that this log goes on in
-- place of a lost one. A line each; lines are only added (decision 0155).
alter table ledger_log add column statements text not null default '';

-- Leaves and tiles stay, whatever becomes of the rows that they were made of.
create trigger ledger_log_batch_is_never_deleted before delete on ledger_log_batch
begin
  select raise(abort, 'a batch of the ledger log is never deleted');
end;
create trigger ledger_log_tile_is_never_deleted before delete on ledger_log_tile
begin
  select raise(abort, 'a tile of the ledger log is never deleted');
end;
create trigger ledger_log_is_never_deleted before delete on ledger_log
begin
  select raise(abort, 'the ledger log is never deleted');
end;
create trigger ledger_log_key_is_never_deleted before delete on ledger_log_key
begin
  select raise(abort, 'a key of the ledger log is never deleted');
end;
