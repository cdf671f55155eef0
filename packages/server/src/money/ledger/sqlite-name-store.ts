/** What a settlement does on SQLite with the Idempotency-Key of its request. PostgreSQL: `ledger_asked_anew`. */
import type { DatabaseSync } from 'node:sqlite'
import type { RequestName } from './operations.ts'

/** Prepares the statements. */
export function createNameStatements(connection: DatabaseSync) {
  const keep = connection.prepare(
    `insert into idempotent_request (caller_id, name_hash, body_hash, request_id, process_id, state, answer, expires_at)
     values (?, ?, ?, ?, ?, 'unkept', null, ?)
     on conflict (caller_id, name_hash) do update set state = 'unkept'
       where request_id = excluded.request_id and state = 'running'`,
  )
  const find = connection.prepare('select request_id from idempotent_request where caller_id = ? and name_hash = ?', {
    returnArrays: true,
  })
  return {
    /** Gives a name to a request whose answer is not here, unless another request has it. */
    keepName: ({ callerId, nameHash, bodyHash, expiresAt }: RequestName, requestId: string, processId: string): void =>
      void keep.run(callerId, nameHash, bodyHash, requestId, processId, expiresAt),
    /** The request that has a name; null for none. */
    findNamed: ({ callerId, nameHash }: RequestName): string | null => {
      const row = find.get(callerId, nameHash) as readonly [string] | undefined
      return row?.[0] ?? null
    },
  }
}
