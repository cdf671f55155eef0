-- Files that teams upload, and those that batches write for them. Their bytes are sealed, where made files are: here is
-- what they are called and how long they live. A row without its bytes is a file that has gone.
create table stored_file (
  file_id      text collate "C" not null primary key,
  account_id   text collate "C" not null references account on delete restrict,
  purpose      text not null check (purpose in ('batch', 'batch_output')),
  filename     text not null,
  bytes        bigint not null check (bytes >= 0),
  media_name   text collate "C" not null unique,
  created_at   bigint not null,
  expires_at   bigint not null,
  check (expires_at > created_at)
);

create index stored_file_by_account on stored_file (account_id, file_id);
create index stored_file_by_end on stored_file (expires_at);
create index stored_file_sizes on stored_file (purpose, bytes);
