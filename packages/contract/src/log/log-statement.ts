/**
 * What a log states in each of its checkpoints, once something happened to it that its readers must know: that a key was
 * lost and another one signs, or that a log was lost and another one goes on. A line each, as the checkpoint's extensions.
 */
import { base64Of, parseBase64 } from './bytes.ts'
import { HASH_BYTES } from './merkle-tree.ts'

/** Another key signs from a size on. Those that it replaces are lost, and sign nothing any more. */
export interface NewKeyStatement {
  readonly kind: 'new_key'
  /** Eight hex digits. */
  readonly keyId: string
  readonly replacedKeyIds: readonly string[]
  /** The size of the log when the key came. */
  readonly size: number
  /** Milliseconds since the epoch, whole seconds. */
  readonly at: number
  readonly reason: string
}

/** This log goes on where another one was lost: it begins with the other one's first leaves. */
export interface NewLogStatement {
  readonly kind: 'new_log'
  /** The name of the other log. */
  readonly replacedOrigin: string
  /** Size and root of the last checkpoint of the other log that its operator knows. */
  readonly replacedSize: number
  readonly replacedRoot: Uint8Array
  /** As many leaves of the other log are kept. What it had beyond is not in this one. */
  readonly keptSize: number
  readonly at: number
  readonly reason: string
}

export type LogStatement = NewKeyStatement | NewLogStatement

/** Longest reason. */
export const STATEMENT_REASON_MAX = 200

/** Writes a statement as a line without its line break. */
export function formatStatement(statement: LogStatement): string {
  const end = `at ${new Date(statement.at).toISOString().replace('.000Z', 'Z')}: ${statement.reason}`
  if (statement.kind === 'new_key') {
    return `new key ${statement.keyId} replaces ${statement.replacedKeyIds.join(',')} from ${statement.size} ${end}`
  }
  const { replacedOrigin, replacedSize, replacedRoot, keptSize } = statement
  return `new log replaces ${replacedOrigin} of ${replacedSize} ${base64Of(replacedRoot)} from ${keptSize} ${end}`
}

const NEW_KEY =
  /^new key ([0-9a-f]{8}) replaces ([0-9a-f]{8}(?:,[0-9a-f]{8}){0,31}) from (0|[1-9]\d{0,15}) at (\S{20}): (.{1,200})$/u
const NEW_LOG =
  /^new log replaces (\S{1,255}) of (0|[1-9]\d{0,15}) (\S{44}) from (0|[1-9]\d{0,15}) at (\S{20}): (.{1,200})$/u

/** Reads a line. @returns null for what is no statement, which another program may have made. */
export function parseStatement(line: string): LogStatement | null {
  const key = NEW_KEY.exec(line)
  if (key !== null) {
    const [, keyId = '', replaced = '', size, at = '', reason = ''] = key
    const statement = { keyId, replacedKeyIds: replaced.split(','), size: Number(size), at: Date.parse(at), reason }
    return roundTrip({ kind: 'new_key', ...statement }, line)
  }
  const [, replacedOrigin, replacedSize, root = '', keptSize, at = '', reason = ''] = NEW_LOG.exec(line) ?? []
  const replacedRoot = parseBase64(root)
  if (replacedOrigin === undefined || replacedRoot?.length !== HASH_BYTES) return null
  const sizes = { replacedSize: Number(replacedSize), keptSize: Number(keptSize) }
  return roundTrip({ kind: 'new_log', replacedOrigin, replacedRoot, ...sizes, at: Date.parse(at), reason }, line)
}

/** A line that would be written in another way is none. */
function roundTrip(statement: LogStatement, line: string): LogStatement | null {
  return Number.isNaN(statement.at) || formatStatement(statement) !== line ? null : statement
}
