/**
 * Rebuilds every leaf from the rows and compares it with what was put down, sealed and published. The first breach names
 * the first row that was changed, removed, added or moved since.
 */
import { sameBytes } from '@svc/contract/log/bytes'
import { openCheckpoint } from '@svc/contract/log/checkpoint'
import type { TreeHead } from '@svc/contract/log/merkle-proof'
import { EMPTY_EDGE, growTree, HASH_BYTES, rootOf, type TreeEdge } from '@svc/contract/log/merkle-tree'
import { nodeCrypto } from '@svc/contract/log/node-crypto'
import { parseVerifierKey, type VerifierKey } from '@svc/contract/log/signed-note'
import { TILE_HEIGHT, TILE_WIDTH } from '@svc/contract/log/tiles'
import { type AuditContext, BREACHES_MAX, type Finding, type Invariant } from '../ledger/audit-query.ts'
import { ArchivedLeaves } from './archived-leaves.ts'
import { readBatches, readBooked, readLogRow, readWaiting } from './audit-log-store.ts'
import { type AccountLine, SALTS_BYTES, sha256 } from './entry-facts.ts'
import { factsOfRows, type FindArchived, findEntryRows, type EntryRows } from './entry-rows-store.ts'
import { type BatchLine as Line, parseLine } from './batch-line.ts'
import { compareLeaves } from './compare-leaves.ts'
import { nameOf } from './entry-name.ts'
import { leafHashOf, packRoots } from './extend-log.ts'
import { KnownEntries } from './known-entries.ts'
import type { FormerKey, LogKeys } from './log-key.ts'
import { type LogOrigins, originsOf, statesAll } from './log-origins.ts'
import { readHashes } from './log-reads-store.ts'
import { openSeal, type SealedLeaf, type SealKey } from './seal.ts'

/** What an audit has beside the database: keys that open the seals and know the signatures, where they are here. */
export interface LogAuditSources extends Pick<LogKeys, 'signers'>, Partial<Pick<LogKeys, 'former'>> {
  /** Checkpoints from elsewhere: the gateway's own file, and what others have kept. */
  readonly checkpoints: readonly { readonly name: string; readonly note: string }[]
  /** Finds archived records; null where the archive is not here. */
  readonly findArchived?: FindArchived | null
}

/** The invariant of the log. */
export function logInvariant(sources: LogAuditSources): Invariant {
  return {
    name: 'ledger log',
    promise: 'each row is the leaf that was published, in its place, and none is missing or was added since',
    check: async (context) => new LogAudit(context, sources, await ArchivedLeaves.open(context.db)).run(),
  }
}

/** A checkpoint to which the leaves must lead. */
interface Target extends TreeHead {
  readonly name: string
}

type AuditedLog = NonNullable<Awaited<ReturnType<typeof readLogRow>>>

interface Batch {
  readonly first_index: number
  readonly size: number
  readonly entries: string
  readonly salts: Uint8Array
  readonly seal: Uint8Array
}

/** One run. */
class LogAudit {
  readonly #context: AuditContext
  readonly #sources: LogAuditSources
  readonly #breaches: string[] = []
  readonly #accounts = new Map<string, AccountLine>()
  readonly #known = new KnownEntries()
  readonly #archived: ArchivedLeaves
  #edge: TreeEdge = EMPTY_EDGE
  #unsealed = 0
  #origins: LogOrigins = originsOf('', [])

  constructor(context: AuditContext, sources: LogAuditSources, archived: ArchivedLeaves) {
    this.#context = context
    this.#sources = sources
    this.#archived = archived
  }

  async run(): Promise<Finding> {
    const { db } = this.#context
    const log = await readLogRow(db)
    if (log !== null) this.#origins = originsOf(log.origin, log.statements)
    const targets = log === null ? [] : await this.#targets(log)
    for await (const batch of readBatches(db)) await this.#checkBatch(batch, targets)
    if (log !== null && (log.size !== this.#edge.size || !sameBytes(packRoots(this.#edge), log.roots))) {
      this.#breach(`the log says that it has ${log.size} leaves; its tiles are of ${this.#edge.size}, or others`)
    }
    for (const { name, size } of targets) {
      if (size > this.#edge.size) this.#breach(`${name} is of ${size} leaves, and ${this.#edge.size} are here`)
    }
    let waiting = 0
    for await (const entry of readWaiting(db)) {
      waiting++
      this.#known.add(entry)
    }
    for await (const entry of readBooked(db)) {
      if (!this.#known.has(entry)) this.#breach(`${nameOf(entry)} is in no leaf and waits for none`)
    }
    if (this.#isWithout) for (const breach of await this.#archived.findMissing(this.#accounts)) this.#breach(breach)
    const figures = { leaves: this.#edge.size, waiting, checkpoints: targets.length }
    const archived = this.#archived.count === 0 ? {} : { 'leaves known by their seal': this.#archived.count }
    const unsealed = this.#unsealed === 0 ? {} : { 'leaves whose seal has no key here': this.#unsealed }
    return { figures: { ...figures, ...archived, ...unsealed }, breaches: this.#breaches }
  }

  /** Whether archived records cannot be had. */
  get #isWithout(): boolean {
    return (this.#sources.findArchived ?? null) === null
  }

  #breach(breach: string): void {
    if (this.#breaches.length < BREACHES_MAX) this.#breaches.push(breach)
  }

  /** The checkpoints that the log must lead to, smallest first. One that no key of the log has signed is a breach. */
  async #targets({ origin, statements, checkpoint: stored }: AuditedLog): Promise<readonly Target[]> {
    const notes = [
      ...(stored === null ? [] : [{ name: 'the checkpoint in the database', note: stored }]),
      ...this.#sources.checkpoints,
    ]
    const keys = await this.#keys()
    const targets: Target[] = []
    for (const { name, note } of notes) {
      const opened = openCheckpoint(nodeCrypto, note, keys)
      if (opened === null) {
        this.#breach(`${name} is signed by no key of the log`)
        continue
      }
      // Of a log that was lost, what this one has not kept leads nowhere.
      const kept = this.#origins.keptOf(opened.origin)
      if (kept !== null && (opened.origin === origin || opened.size <= kept)) {
        targets.push({ name, size: opened.size, root: opened.root })
      }
      if (opened.origin === origin && !statesAll(statements, opened.extensions)) {
        this.#breach(`${name} states what the log does not state any more`)
      }
    }
    return targets.toSorted((left, right) => left.size - right.size)
  }

  #ownKeys(): readonly FormerKey[] {
    const { signers, former = [] } = this.#sources
    return [...signers, ...former]
  }

  /** The keys that are here; without any, those that the database names. */
  async #keys(): Promise<readonly VerifierKey[]> {
    const own = this.#ownKeys().map(({ key }) => key)
    if (own.length > 0) return own
    const rows = await this.#context.db.selectFrom('ledger_log_key').select('verifier_key').execute()
    return rows.map((row) => parseVerifierKey(sha256, row.verifier_key)).filter((key) => key !== null)
  }

  async #checkBatch(batch: Batch, targets: readonly Target[]): Promise<void> {
    const { db } = this.#context
    const from = batch.first_index
    if (from !== this.#edge.size) this.#breach(`after leaf ${this.#edge.size - 1} comes leaf ${from}`)
    const lines = batch.entries.split('\n').map(parseLine)
    if (lines.length !== batch.size) this.#breach(`the leaves from ${from} on are ${lines.length}, not ${batch.size}`)
    const rows = await findEntryRows(
      db,
      lines.map(({ entry }) => entry),
      this.#sources.findArchived ?? undefined,
    )
    const gone = lines.flatMap(({ entry }, at) => (rows[at] === null && this.#isWithout ? [entry] : []))
    const archived = await this.#archived.findTransfers(gone)
    const leaves = lines.map((line, at) => {
      const transfer = archived.get(line.entry)
      if (transfer === undefined) return this.#checkLine(line, rows[at] ?? null, saltsOf(batch, at))
      this.#known.add(line.entry)
      if (transfer !== null) this.#follow(line, JSON.stringify(transfer.account_id), -transfer.charge)
      return 'archived'
    })
    const stored = await this.#storedHashes(from, lines.length)
    const compared = { from, lines, leaves, stored, sealed: this.#sealed(batch) }
    for (const breach of compareLeaves(compared)) this.#breach(breach)
    await this.#grow(from, stored, targets)
  }

  #sealed({ first_index: firstIndex, seal, size }: Batch): readonly SealedLeaf[] | null {
    const keys: readonly SealKey[] = this.#ownKeys().flatMap(({ sealKey }) => sealKey ?? [])
    const sealed = openSeal(keys, { origin: this.#origins.ofLeaf(firstIndex), firstIndex }, seal)
    if (sealed === 'broken') this.#breach(`the leaves from ${firstIndex} on were not put down there by this gateway`)
    if (sealed === 'no_key') this.#unsealed += size
    return typeof sealed === 'string' ? null : sealed
  }

  /** The leaf that the rows make; null where a row is gone. */
  #checkLine(line: Line, rows: EntryRows | null, salts: Uint8Array): Uint8Array | null {
    this.#known.add(line.entry)
    if (rows === null) {
      this.#breach(`${nameOf(line.entry)} was removed`)
      return null
    }
    const facts = factsOfRows(line.entry, rows, salts)
    this.#follow(line, facts.accountJson, disagrees(rows) ? null : facts.amount)
    return leafHashOf(facts, line)
  }

  /** Goes on to an entry of an account. @param amount null where its rows disagree. */
  #follow(line: Line, accountJson: string, amount: bigint | null): void {
    const before = this.#accounts.get(accountJson) ?? { number: 0, posted: 0n }
    this.#accounts.set(accountJson, line)
    const between = line.number - before.number - 1
    const isNext = between === 0 || (this.#isWithout && this.#archived.takeFree(JSON.parse(accountJson), between))
    if (!isNext) {
      this.#breach(`${nameOf(line.entry)} is number ${line.number} of its account, after ${before.number}`)
    } else if (amount === null || before.posted + amount !== line.posted) {
      this.#breach(`${nameOf(line.entry)} was changed: its amount does not lead to the balance after it`)
    }
  }

  /** The hashes in the tiles of level 0. */
  async #storedHashes(from: number, count: number): Promise<readonly Uint8Array[]> {
    const hashes: Uint8Array[] = []
    for (let at = from; at < from + count;) {
      const index = Math.floor(at / TILE_WIDTH)
      const end = Math.min((index + 1) * TILE_WIDTH, from + count)
      const tile = await readHashes(this.#context.db, 0, index)
      for (; at < end; at++) {
        const place = (at % TILE_WIDTH) * HASH_BYTES
        hashes.push(tile.subarray(place, place + HASH_BYTES))
      }
    }
    return hashes
  }

  /** Grows the tree of the tiles, and compares it with the tiles above and with the checkpoints on the way. */
  async #grow(from: number, stored: readonly Uint8Array[], targets: readonly Target[]): Promise<void> {
    const above: { level: number; index: number; hash: Uint8Array }[] = []
    const grow = (hashes: readonly Uint8Array[]): void => {
      this.#edge = growTree(sha256, this.#edge, hashes, ({ height, index, hash }) => {
        if (height % TILE_HEIGHT === 0) above.push({ level: height / TILE_HEIGHT, index, hash })
      })
    }
    let at = 0
    for (const target of targets) {
      const until = target.size - from
      if (until < at || until > stored.length || (until === 0 && from > 0)) continue
      grow(stored.slice(at, until))
      at = until
      if (!sameBytes(rootOf(sha256, this.#edge), target.root)) {
        this.#breach(`the leaves do not lead to the root of ${target.name}, of ${target.size} leaves`)
      }
    }
    grow(stored.slice(at))
    for (const { level, index, hash } of above) {
      const tile = await readHashes(this.#context.db, level, Math.floor(index / TILE_WIDTH))
      const place = (index % TILE_WIDTH) * HASH_BYTES
      if (!sameBytes(tile.subarray(place, place + HASH_BYTES), hash)) {
        this.#breach(`hash ${index} of level ${level} is not that of the tile below it`)
      }
    }
  }
}

function saltsOf({ salts }: Batch, at: number): Uint8Array {
  return salts.subarray(at * SALTS_BYTES, (at + 1) * SALTS_BYTES)
}

/** Whether a record and its transfer say different things. */
function disagrees({ record, transfer }: EntryRows): boolean {
  if (record === null || transfer === null) return record !== null && record.charge !== 0n
  return (
    record.charge !== transfer.charge ||
    record.write_off !== transfer.write_off ||
    record.cost !== transfer.cost ||
    record.account_id !== transfer.account_id
  )
}
