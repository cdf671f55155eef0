-- What the ledger log states in each of its checkpoints: that a key was lost and replaced, or that this log goes on in
-- place of a lost one. A line each; lines are only added (decision 0155).
alter table ledger_log add column statements text not null default '';
