/**
 * An expression of PostgreSQL that names a server, and this life of it: another text after a restart and after a
 * fail-over. Two servers that started in the same microsecond have two addresses.
 */
export const SERVER_IDENTITY =
  `pg_postmaster_start_time()::text || ' ' || coalesce(inet_server_addr()::text, '') || ' ' || ` +
  `coalesce(inet_server_port()::text, '')`
