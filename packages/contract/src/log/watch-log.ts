/**
 * Compares what a log says now with what it said before: a later checkpoint begins with all that an earlier one had. Names
 * what does not hold, so that whoever keeps checkpoints sees a log that was changed.
 */
import { hexOf, sameBytes } from './bytes.ts'
import { type Checkpoint, parseCheckpoint } from './checkpoint.ts'
import type { LogCrypto } from './log-crypto.ts'
import { type NewLogStatement, parseStatement } from './log-statement.ts'
import { isConsistent, type NodeSource, proveConsistency, readRoot, type TreeHead } from './merkle-proof.ts'
import { parseNote, type SignedNote, signersOf, type VerifierKey } from './signed-note.ts'
import { nodesOfTiles, type ReadTile } from './tiles.ts'

/** What came of a look at a log. The first four are in order. */
export const logFindings = [
  /** The first checkpoint that is kept. */
  'begun',
  'unchanged',
  'extended',
  /** Another log has taken the place of a lost one, and begins with the leaves that it says. */
  'replaced',
  /** Fewer leaves than an earlier checkpoint. */
  'shorter',
  /** Other leaves than those of an earlier checkpoint. */
  'forked',
  /** Signed by none of the keys that are trusted. */
  'unknown_key',
  /** A signature of a trusted key that is not over this text. */
  'false_signature',
  /** Another name than the keys and the kept checkpoints. */
  'other_log',
  /** The tiles do not lead to the root that was signed. */
  'tiles_differ',
  /** A tile that the checkpoint must have cannot be had. */
  'tiles_missing',
  /** What the log stated of itself before is not in its checkpoint any more. */
  'statement_removed',
  /** No checkpoint at all. */
  'malformed',
] as const

export type LogFinding = (typeof logFindings)[number]

const IN_ORDER: ReadonlySet<LogFinding> = new Set(['begun', 'unchanged', 'extended', 'replaced'])

/** A note with the name under which it is kept. */
export interface NamedNote {
  readonly name: string
  readonly note: string
}

export interface LogVerdict {
  readonly finding: LogFinding
  readonly holds: boolean
  /** A sentence without a full stop. */
  readonly message: string
  /** What the log says now; null where it is no checkpoint. */
  readonly head: Checkpoint | null
  /** The kept note that the finding is about, by its name; null where it is about what the log says now. */
  readonly about: string | null
  /** Whether that note is one that the log has signed. One that it has not says nothing of the log. */
  readonly isSigned: boolean
}

/** What is looked at, and what it is compared with. */
export interface LogLook {
  /** Whom to believe. */
  readonly keys: readonly VerifierKey[]
  /** Notes from before, of this log or of one that it replaces. */
  readonly kept: readonly NamedNote[]
  /** The note that the log gives out now. */
  readonly note: string
  /** Reads tiles of the log. @throws {TileMissingError} where it does not give one out. */
  readonly readTile: ReadTile
}

/** A log does not give out a tile that it must have. */
export class TileMissingError extends Error {
  constructor(path: string) {
    super(`the log does not give out ${path}`)
    this.name = 'TileMissingError'
  }
}

/** Ends a look: what follows needs not be looked at. */
class Refused extends Error {
  readonly finding: LogFinding
  /** The kept note that it is about; null for what the log says now. */
  readonly about: string | null

  constructor(finding: LogFinding, message: string, about: string | null = null) {
    super(message)
    this.name = 'Refused'
    this.finding = finding
    this.about = about
  }
}

/** A kept note is none that the log has signed. */
class Unsigned extends Refused {}

/**
 * Looks at a log.
 *
 * @throws whatever `readTile` throws beside `TileMissingError`.
 */
export async function watchLog(crypto: LogCrypto, look: LogLook): Promise<LogVerdict> {
  let head: Checkpoint | null = null
  try {
    const opened = openHead('the checkpoint', look.note)
    head = opened.head
    checkSigner(crypto, 'the checkpoint', opened, look.keys)
    return { ...OF_THE_LOG, ...(await compareAll(crypto, look, head)), holds: true, head }
  } catch (error) {
    if (error instanceof TileMissingError)
      return { ...OF_THE_LOG, finding: 'tiles_missing', holds: false, message: error.message, head }
    if (!(error instanceof Refused)) throw error
    const { finding, message, about } = error
    return { finding, holds: IN_ORDER.has(finding), message, head, about, isSigned: !(error instanceof Unsigned) }
  }
}

/** A verdict on what the log says now. */
const OF_THE_LOG = { about: null, isSigned: true } as const

interface Opened {
  readonly signed: SignedNote
  readonly head: Checkpoint
}

function openHead(what: string, note: string): Opened {
  const signed = parseNote(note)
  const head = signed === null ? null : parseCheckpoint(signed.text)
  if (signed === null || head === null) throw new Refused('malformed', `${what} is none of c2sp.org/tlog-checkpoint`)
  return { signed, head }
}

function checkSigner(crypto: LogCrypto, what: string, { signed, head }: Opened, keys: readonly VerifierKey[]): void {
  const own = keys.filter(({ name }) => name === head.origin)
  if (own.length === 0) {
    const names = [...new Set(keys.map(({ name }) => name))].join(', ')
    throw new Refused('other_log', `${what} is of ${head.origin}; the keys given are for ${names || 'none'}`)
  }
  if (signersOf(crypto, signed, own).length > 0) return
  const ids = signed.signatures.filter(({ name }) => name === head.origin).map(({ keyId }) => hexOf(keyId))
  if (own.some(({ keyId }) => ids.includes(hexOf(keyId)))) {
    throw new Refused('false_signature', `${what} carries a signature of a key given here that is not over its text`)
  }
  throw new Refused(
    'unknown_key',
    `${what} is signed by key ${ids.join(', ') || 'of no log'}, not by ${own.map(({ keyId }) => hexOf(keyId)).join(', ')}`,
  )
}

function openKept(crypto: LogCrypto, { name, note }: NamedNote, keys: readonly VerifierKey[]): Checkpoint {
  try {
    const opened = openHead(name, note)
    checkSigner(crypto, name, opened, keys)
    return opened.head
  } catch (error) {
    throw error instanceof Refused ? new Unsigned(error.finding, error.message, name) : error
  }
}

async function compareAll(
  crypto: LogCrypto,
  { keys, kept, readTile }: LogLook,
  head: Checkpoint,
): Promise<Pick<LogVerdict, 'finding' | 'message'>> {
  const { sha256 } = crypto
  const source = { sha256, readNode: nodesOfTiles(sha256, head.size, readTile) }
  let largest: Checkpoint | null = null
  let lost: string | null = null
  await checkTiles(source, head)
  for (const named of kept) {
    const { name } = named
    const before = openKept(crypto, named, keys)
    checkStatements(name, before, head)
    if (before.origin === head.origin) {
      await checkExtends(source, name, before, head)
      largest = largest === null || before.size > largest.size ? before : largest
    } else lost = await checkReplaces(source, name, before, head)
  }
  if (lost !== null && largest === null) return { finding: 'replaced', message: lost }
  if (largest === null) return { finding: 'begun', message: `${head.origin} has ${head.size} leaves` }
  if (largest.size === head.size)
    return { finding: 'unchanged', message: `${head.origin} has ${head.size} leaves, as before` }
  return {
    finding: 'extended',
    message: `${head.origin} has ${head.size} leaves and begins with the ${largest.size} from before`,
  }
}

async function checkTiles(source: NodeSource, head: TreeHead): Promise<void> {
  if (sameBytes(await rootFrom(source, head.size), head.root)) return
  throw new Refused('tiles_differ', `the tiles do not lead to the root that was signed for ${head.size} leaves`)
}

async function checkExtends(source: NodeSource, name: string, before: Checkpoint, head: Checkpoint): Promise<void> {
  if (before.size > head.size) {
    throw new Refused('shorter', `the log has ${head.size} leaves; ${name} was signed for ${before.size}`, name)
  }
  await checkPrefix(source, name, before, head)
}

/** Whether the log begins with the leaves of a smaller tree. */
async function checkPrefix(source: NodeSource, name: string, before: TreeHead, head: TreeHead): Promise<void> {
  // Of the tiles, so that a tile which differs from what was signed now is told from leaves that differ from before.
  const root = await rootFrom(source, before.size)
  const proof = await proveConsistency(source, before.size, head.size)
  if (!isConsistent(source.sha256, { before: { size: before.size, root }, after: head }, proof)) {
    throw new Refused(
      'tiles_differ',
      `the tiles of ${before.size} leaves do not lead to the root of ${head.size}`,
      name,
    )
  }
  if (sameBytes(root, before.root)) return
  throw new Refused('forked', `the first ${before.size} leaves of the log are others than ${name} was signed for`, name)
}

/** A tile with fewer hashes than it must have is told as one that is missing. */
async function rootFrom(source: NodeSource, size: number): Promise<Uint8Array> {
  try {
    return await readRoot(source, size)
  } catch (error) {
    if (error instanceof RangeError) throw new TileMissingError('a whole tile')
    throw error
  }
}

/** A log that has taken another one's place says so, and keeps the leaves that it says. */
async function checkReplaces(source: NodeSource, name: string, before: Checkpoint, head: Checkpoint): Promise<string> {
  const statement = statementsOf(head).find(({ replacedOrigin }) => replacedOrigin === before.origin)
  if (statement === undefined) {
    throw new Refused(
      'other_log',
      `the log is ${head.origin}, ${name} is of ${before.origin}, and nothing says why`,
      name,
    )
  }
  const { keptSize, replacedSize, reason } = statement
  if (before.size <= keptSize) await checkPrefix(source, name, before, head)
  const gone = Math.max(before.size - keptSize, 0)
  const rest = gone === 0 ? 'all that was kept here is in it' : `${gone} leaves that were signed before are not in it`
  return `${head.origin} has taken the place of ${before.origin}, of ${replacedSize} leaves, after ${keptSize}: ${reason}; ${rest}`
}

function statementsOf({ extensions }: Checkpoint): readonly NewLogStatement[] {
  return extensions.map(parseStatement).filter((statement) => statement?.kind === 'new_log')
}

/** What a log has stated stays in each later checkpoint. */
function checkStatements(name: string, before: Checkpoint, head: Checkpoint): void {
  if (before.origin === head.origin && before.size > head.size) return
  const gone = before.extensions.find((line, at) => head.extensions[at] !== line)
  if (gone !== undefined)
    throw new Refused('statement_removed', `${name} states ${JSON.stringify(gone)}; the log does not`, name)
}
