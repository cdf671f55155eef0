/**
 * Connections that may wait to be accepted; the system has a limit of its own, 4,096 on Linux. Node's 511 are soon full
 * where many clients come back at once and a core is busy, and a connection that finds no place is reset some seconds
 * later, without an answer. Source: listen(2), tcp(7); decision 0066.
 */
export const LISTEN_BACKLOG = 4_096
