/** What is kept of a gateway's ledger log: the keys that are trusted, and its checkpoints. A file for each gateway. */
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { trimEndOf } from '@svc/contract'
import { CommandError } from '../command-error.ts'
import { exitCodes } from '../exit-codes.ts'

export interface KeptCheckpoint {
  /** When it came, as an ISO time. */
  readonly seen_at: string
  /** The signed note as it came. */
  readonly note: string
}

/** A checkpoint that contradicts those that are kept: the proof, if its signature is right. */
export interface Contradiction extends KeptCheckpoint {
  readonly finding: string
}

export interface KeptLog {
  /** Verifier keys as text. */
  readonly keys: readonly string[]
  /** In the order in which they came. */
  readonly checkpoints: readonly KeptCheckpoint[]
  readonly contradictions: readonly Contradiction[]
}

const NOTHING_KEPT: KeptLog = { keys: [], checkpoints: [], contradictions: [] }

/** Enough for one a day for ten years; the first is never dropped. Source: own choice. */
const CHECKPOINTS_MAX = 4_000
/** The first tell most. */
const CONTRADICTIONS_MAX = 20
const DAY_LENGTH = 'yyyy-mm-dd'.length

/** The file of a gateway. */
export function keptLogFile(folder: string, baseUrl: string): string {
  const { host, pathname } = new URL(baseUrl)
  return path.join(folder, 'logs', `${trimEndOf(`${host}${pathname}`, '/').replaceAll(/[^\w.-]/g, '_')}.json`)
}

/**
 * Reads what is kept; a missing file keeps nothing.
 *
 * @throws {CommandError} with the code for wrong usage and the field, when the file is broken: what it kept is not
 *   replaced silently.
 */
export function readKeptLog(file: string): KeptLog {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return NOTHING_KEPT
    throw broken(file, 'cannot be read', cause)
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw broken(file, 'is not JSON', cause)
  }
  const { keys, checkpoints, contradictions } = Object(value) as Readonly<Record<string, unknown>>
  if (!isListOf(keys, (key) => typeof key === 'string')) throw broken(file, '"keys" is not a list of texts')
  if (!isListOf(checkpoints, isCheckpoint)) throw broken(file, '"checkpoints" is not a list of checkpoints')
  if (!isListOf(contradictions, isCheckpoint)) throw broken(file, '"contradictions" is not a list of checkpoints')
  return { keys, checkpoints, contradictions } as KeptLog
}

function isListOf(value: unknown, isOne: (one: unknown) => boolean): value is unknown[] {
  return Array.isArray(value) && value.every(isOne)
}

function isCheckpoint(value: unknown): boolean {
  const { seen_at: seenAt, note } = Object(value) as Readonly<Record<string, unknown>>
  return typeof seenAt === 'string' && typeof note === 'string'
}

function broken(file: string, what: string, cause?: unknown): CommandError {
  return new CommandError(`${file} ${what}.`, {
    advice: 'It holds the checkpoints that you have kept. Bring it back from a copy, or move it away to begin anew.',
    exitCode: exitCodes.wrongUsage,
    cause,
  })
}

/** Adds a checkpoint. The last of each day stays, and the very first. */
export function withCheckpoint(kept: KeptLog, checkpoint: KeptCheckpoint): KeptLog {
  const { checkpoints } = kept
  const last = checkpoints.at(-1)
  if (last?.note === checkpoint.note) return kept
  const isSameDay = last?.seen_at.slice(0, DAY_LENGTH) === checkpoint.seen_at.slice(0, DAY_LENGTH)
  const before = isSameDay && checkpoints.length > 1 ? checkpoints.slice(0, -1) : checkpoints
  const all = [...before, checkpoint]
  return { ...kept, checkpoints: [...all.slice(0, 1), ...all.slice(1).slice(-(CHECKPOINTS_MAX - 1))] }
}

/** Adds a checkpoint that contradicts those that are kept. */
export function withContradiction(kept: KeptLog, contradiction: Contradiction): KeptLog {
  const isKnown = kept.contradictions.some(({ note }) => note === contradiction.note)
  if (isKnown || kept.contradictions.length >= CONTRADICTIONS_MAX) return kept
  return { ...kept, contradictions: [...kept.contradictions, contradiction] }
}

/** Writes it in one step. @throws {CommandError} when it cannot be written. */
export function writeKeptLog(file: string, kept: KeptLog): void {
  const draft = `${file}.${process.pid}.tmp`
  try {
    mkdirSync(path.dirname(file), { recursive: true, mode: 0o700 })
    writeFileSync(draft, `${JSON.stringify(kept, null, 2)}\n`, { mode: 0o600, flush: true })
    renameSync(draft, file)
  } catch (cause) {
    rmSync(draft, { force: true })
    throw new CommandError(`${file} cannot be written.`, { advice: 'Check the rights of its folder.', cause })
  }
}
