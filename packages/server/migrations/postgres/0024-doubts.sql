-- Since when what is told of a deposit does not fit together: one wrong answer of a node is waited out, and what lasts
-- is left to an operator. The table is locked for a moment; nothing of it is rewritten.
alter table deposit add column doubted_at bigint;
