-- Embedded storage has one process, which counts limits in its memory: there is nothing to share and no table for it.
select 1;
