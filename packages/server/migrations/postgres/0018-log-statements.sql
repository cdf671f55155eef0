-- What the ledger log states in each of its checkpoints: that a key was lost and replaced, or that this log goes on in
-- place of a lost one. A line each; lines are only added (decision 0155).
alter table ledger_log add column statements text not null default '';

-- Leaves and tiles stay, whatever becomes of the rows that they were made of.
create trigger ledger_log_batch_is_never_deleted before delete on ledger_log_batch
  for each row execute function refuse_change();
create trigger ledger_log_batch_is_never_emptied before truncate on ledger_log_batch
  for each statement execute function refuse_change();
create trigger ledger_log_tile_is_never_deleted before delete on ledger_log_tile
  for each row execute function refuse_change();
create trigger ledger_log_tile_is_never_emptied before truncate on ledger_log_tile
  for each statement execute function refuse_change();
create trigger ledger_log_is_never_deleted before delete on ledger_log
  for each row execute function refuse_change();
create trigger ledger_log_key_is_never_deleted before delete on ledger_log_key
  for each row execute function refuse_change();
