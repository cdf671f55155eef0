-- Files that teams upload, and those that batches write for them. Their bytes are sealed, where made files are: here is
-- what they are called and how long they live. A row without its bytes is a file that has gone.
create table stored_file (
  file_id      text not null primary key,
  account_id   text not null references account on delete restrict,
  purpose      text not null check (purpose = 'batch' or purpose = 'batch_output'),
  filename     text not null,
  bytes        integer not null check (bytes >= 0),
  media_name   text not null unique,
  created_at   integer not null,
  expires_at   integer not null,
  check (expires_at > created_at)
) strict, without rowid;

create index stored_file_by_account on stored_file (account_id, file_id);
create index stored_file_by_end on stored_file (expires_at);
create index stored_file_sizes on stored_file (purpose, bytes);
