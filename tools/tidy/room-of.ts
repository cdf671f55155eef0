/** Where a file of the server belongs. */

/**
 * Every room and its level: a room imports only from lower levels. A room that is missing here is a finding: a new room
 * is a decision.
 */
export const LEVELS: Readonly<Record<string, number>> = {
  'platform/audio': 0,
  'platform/errors': 0,
  'platform/json': 0,
  'platform/runtime': 0,
  pricing: 0,
  'telemetry/metrics': 0,
  'telemetry/tracing': 0,
  config: 1,
  'platform/db': 1,
  'platform/outbound': 1,
  'platform/spool': 1,
  'access/accounts': 2,
  'access/keys': 2,
  'access/operators': 2,
  'access/sign-in': 2,
  'admission/limits': 2,
  'admission/overload': 2,
  catalog: 2,
  chain: 2,
  'money/ledger': 2,
  'platform/files': 2,
  'platform/mail': 2,
  upstreams: 2,
  'access/devices': 3,
  'access/teams': 3,
  'admission/idempotency': 3,
  deposits: 3,
  'money/archive': 3,
  'money/billing': 3,
  'money/ledger-log': 3,
  'money/invoices': 4,
  'money/reconciliation': 4,
  'pipeline/routing': 3,
  pipeline: 4,
  'deposits/sweeping': 5,
  edge: 5,
  'operations/actions': 5,
  'deposits/routes': 6,
  // Each folder of it is a room, and none knows another.
  'modalities/*': 6,
  uploads: 6,
  forms: 7,
  'operations/commands': 7,
  worker: 7,
  batches: 8,
  quotes: 8,
  console: 9,
}

/** Programs are directly in `src`; `app` puts the rooms together for them. No room knows either. */
export const ROOT_LEVEL = 10

const SERVER_SOURCE = /^packages\/server\/src\/([^/]+)(?:\/([^/]+))?/

/**
 * The room of a file: the folder or two folders that have a level, the first folder where none has, or the file's own
 * name for a program. Null outside the server's sources.
 */
export function roomOf(path: string | null): string | null {
  const [, first, second] = SERVER_SOURCE.exec(path ?? '') ?? []
  if (first === undefined) return null
  const both = `${first}/${second}`
  return both in LEVELS || `${first}/*` in LEVELS ? both : first
}

/** Null for a room that there is not. */
export function levelOf(room: string): number | null {
  return room.endsWith('.ts') || room === 'app'
    ? ROOT_LEVEL
    : (LEVELS[room] ?? LEVELS[room.replace(/\/.*$/, '/*')] ?? null)
}
