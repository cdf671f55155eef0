-- PostgreSQL applies a batch of money operations in a function. SQLite does so in its writer thread: nothing to do.
select 1;
