/**
 * What an operator does once the key of the log or the log itself is lost: another key signs, or another log goes on with
 * the leaves that are left. Each later checkpoint states it. Source: decision 0155.
 */
import { openCheckpoint, type SignedCheckpoint } from '@svc/contract/log/checkpoint'
import { hexOf, sameBytes } from '@svc/contract/log/bytes'
import { formatStatement } from '@svc/contract/log/log-statement'
import { readRoot } from '@svc/contract/log/merkle-proof'
import { rootOf } from '@svc/contract/log/merkle-tree'
import { nodeCrypto } from '@svc/contract/log/node-crypto'
import { formatVerifierKey, type VerifierKey } from '@svc/contract/log/signed-note'
import { nodesOfTiles } from '@svc/contract/log/tiles'
import type { Clock } from '../../platform/runtime/clock.ts'
import { listVerifierKeys, refusalOfLog } from './check-log.ts'
import { sha256 } from './entry-facts.ts'
import { unpackRoots } from './extend-log.ts'
import { readLogKeyFile, writeLogKeyFile } from './log-key-file.ts'
import { type LogKeys, type LogSigner, makeLogKey, parseLogKeys } from './log-key.ts'
import type { LogStore, StoredLog } from './log-store.ts'

/** All that a log may state: it is in each checkpoint and each receipt. Source: own choice. */
const STATEMENTS_LENGTH_MAX = 8_000
const SECOND_MS = 1_000
/** As many ids of keys are named at most. */
const REPLACED_KEYS_MAX = 32

const KEYS_FROM_BEFORE = '# Keys from before: they are known, and sign no more.'

export interface RecoveryDeps {
  readonly store: LogStore
  readonly clock: Clock
  /** Where the gateway's keys are, or were. */
  readonly keyFile: string
  /** Where the new ones go. */
  readonly newKeyFile: string
}

/** Why nothing was done. */
export type RecoveryRefusal =
  /** No gateway has begun a log here. */
  | 'no_log'
  /** The key of the log is where it belongs. */
  | 'key_is_there'
  /** The log leads to every checkpoint that is known. */
  | 'in_order'
  /** The tree of this database contradicts itself: nothing can go on with it. */
  | 'broken'
  /** The log has grown meanwhile. */
  | 'moved'
  /** It has stated as much as a checkpoint takes. */
  | 'too_much_stated'

export interface Recovered {
  readonly kind: 'done'
  readonly origin: string
  readonly key: VerifierKey
  readonly size: number
  readonly statement: string
}

/** What came of it. */
export type Recovery = Recovered | { readonly kind: RecoveryRefusal }

/**
 * Makes a key in place of one that is lost. The old one stays known: what it has signed can be checked for ever.
 *
 * @throws {ConfigError} when the file cannot be read or written.
 */
export async function replaceLogKey(deps: RecoveryDeps, reason: string): Promise<Recovery> {
  const { store, clock, newKeyFile } = deps
  const log = await store.readLog()
  if (log === null) return { kind: 'no_log' }
  const known = await listVerifierKeys(store)
  const old = readLogKeyFile(deps.keyFile)
  if (old.signers.some(({ key }) => isAmong(known, key))) return { kind: 'key_is_there' }
  const signer = nextSigner(newKeyFile, log.origin, known)
  const statement = formatStatement({
    kind: 'new_key',
    keyId: hexOf(signer.key.keyId),
    replacedKeyIds: idsOf(known, log.origin),
    size: log.size,
    at: wholeSecond(clock.now()),
    reason,
  })
  if (isTooMuch(log, statement)) return { kind: 'too_much_stated' }
  writeLogKeyFile(newKeyFile, keysText(signer, old.text, known))
  await store.replaceKey({ keys: [formatVerifierKey(signer.key)], sinceSize: log.size, statement }, clock.now())
  return { kind: 'done', origin: log.origin, key: signer.key, size: log.size, statement }
}

/** The log is another one than when it was looked at. */
class LogMovedError extends Error {
  constructor() {
    super('the ledger log has changed meanwhile')
    this.name = 'LogMovedError'
  }
}

/**
 * Lets another log go on with the leaves of this database, where it does not lead to what was published.
 *
 * @param notes checkpoints that were published: of the gateway's own file, and kept by others.
 * @throws {ConfigError} when the file of the key cannot be read or written.
 */
export async function beginNewLog(deps: RecoveryDeps, notes: readonly string[], reason: string): Promise<Recovery> {
  const { store, clock, newKeyFile } = deps
  const log = await store.readLog()
  if (log === null) return { kind: 'no_log' }
  const known = await listVerifierKeys(store)
  const old = readLogKeyFile(deps.keyFile)
  const published = openAll(log, [...notes, log.contradictedBy, log.checkpoint], [...known, ...keysOf(old)])
  const refusals = await Promise.all(published.map((checkpoint) => refusalOfLog(store, log, checkpoint)))
  const [largest] = published.toSorted((left, right) => right.size - left.size)
  if (largest === undefined || refusals.every((refusal) => refusal === null)) return { kind: 'in_order' }
  if (!(await isSound(store, log))) return { kind: 'broken' }
  const origin = nextOrigin(log.origin)
  const signer = nextSigner(newKeyFile, origin, known)
  const statement = formatStatement({
    kind: 'new_log',
    replacedOrigin: log.origin,
    replacedSize: largest.size,
    replacedRoot: largest.root,
    keptSize: log.size,
    at: wholeSecond(clock.now()),
    reason,
  })
  if (isTooMuch(log, statement)) return { kind: 'too_much_stated' }
  writeLogKeyFile(newKeyFile, keysText(signer, old.text, known))
  const keys = [formatVerifierKey(signer.key)]
  try {
    const beginning = { origin, replacedOrigin: log.origin, keys, sinceSize: log.size, statement }
    await store.beginNewLog(beginning, clock.now(), () => new LogMovedError())
  } catch (error) {
    if (error instanceof LogMovedError) return { kind: 'moved' }
    throw error
  }
  return { kind: 'done', origin, key: signer.key, size: log.size, statement }
}

function openAll(
  { origin }: StoredLog,
  notes: readonly (string | null)[],
  keys: readonly VerifierKey[],
): readonly SignedCheckpoint[] {
  return notes
    .map((note) => (note === null ? null : openCheckpoint(nodeCrypto, note, keys)))
    .filter((checkpoint) => checkpoint?.origin === origin) as SignedCheckpoint[]
}

function keysOf({ signers, former }: LogKeys): readonly VerifierKey[] {
  return [...signers, ...former].map(({ key }) => key)
}

/** Whether the tiles lead to the roots that the log has. */
async function isSound(store: LogStore, { size, roots }: StoredLog): Promise<boolean> {
  const edge = unpackRoots(size, roots)
  if (edge === null) return false
  const readNode = nodesOfTiles(sha256, size, async (tile) => (await store.readTile(tile)) ?? new Uint8Array())
  try {
    return sameBytes(await readRoot({ sha256, readNode }, size), rootOf(sha256, edge))
  } catch (error) {
    if (error instanceof RangeError) return false
    throw error
  }
}

/** The key that a first attempt has left in the new file, or a new one. */
function nextSigner(newKeyFile: string, name: string, known: readonly VerifierKey[]): LogSigner & { text: string } {
  const { signers, text } = readLogKeyFile(newKeyFile)
  const [first] = signers
  const line = text.split('\n').find((each) => each.includes(`+${name}+`) && !each.startsWith('#'))
  if (first?.key.name === name && !isAmong(known, first.key) && line !== undefined)
    return { ...first, text: line.trim() }
  const made = makeLogKey(name).trim()
  const [signer] = parseLogKeys(made)?.signers ?? []
  if (signer === undefined) throw new RangeError(`${name} is no name of a log`)
  return { ...signer, text: made }
}

/** The file of the keys: the new one signs, and what there was before opens its seals and is known. */
function keysText(signer: { readonly text: string }, before: string, known: readonly VerifierKey[]): string {
  const lines = before.split('\n').map((line) => line.trim())
  const kept = lines.filter((line) => line !== '' && line !== signer.text && !line.startsWith('#'))
  const here = keysOf(parseLogKeys(before) ?? { signers: [], former: [] })
  const lost = known.filter((key) => !isAmong(here, key)).map(formatVerifierKey)
  return `${[signer.text, KEYS_FROM_BEFORE, ...kept, ...lost].join('\n')}\n`
}

function isAmong(keys: readonly VerifierKey[], { name, publicKey }: VerifierKey): boolean {
  return keys.some((key) => key.name === name && sameBytes(key.publicKey, publicKey))
}

function idsOf(keys: readonly VerifierKey[], origin: string): readonly string[] {
  return keys
    .filter(({ name }) => name === origin)
    .map(({ keyId }) => hexOf(keyId))
    .slice(-REPLACED_KEYS_MAX)
}

/** `…/log`, `…/log/2`, `…/log/3`. */
function nextOrigin(origin: string): string {
  const [, base = origin, number = '1'] = /^(.*\/log)(?:\/(\d{1,6}))?$/.exec(origin) ?? []
  return `${base}/${Number(number) + 1}`
}

function isTooMuch({ statements }: StoredLog, statement: string): boolean {
  return [...statements, statement].join('\n').length > STATEMENTS_LENGTH_MAX
}

function wholeSecond(time: number): number {
  return time - (time % SECOND_MS)
}
