-- PostgreSQL applies a batch of money operations in a function; SQLite does so in its writer thread, so there is nothing to change here.
select 1;
