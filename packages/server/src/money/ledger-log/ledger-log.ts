/** The log as a process keeps it: puts down what waits, signs, and gives out what it has signed. */
import { setTimeout as pauseFor } from 'node:timers/promises'
import { formatCheckpoint, openCheckpoint, type SignedCheckpoint } from '@svc/contract/log/checkpoint'
import { rootOf, type TreeEdge } from '@svc/contract/log/merkle-tree'
import { nodeCrypto } from '@svc/contract/log/node-crypto'
import { formatVerifierKey, type VerifierKey } from '@svc/contract/log/signed-note'
import type { Clock } from '../../platform/runtime/clock.ts'
import type { CheckpointFile } from './checkpoint-file.ts'
import { listVerifierKeys, type LogRefusal, refusalOfKeys, refusalOfLog } from './check-log.ts'
import { sha256 } from './entry-facts.ts'
import { isTreeOf, unpackRoots } from './extend-log.ts'
import { type LogSigner, signNote } from './log-key.ts'
import type { LogStore, RecentBatches, StoredLog } from './log-store.ts'

/** Leaves of one append, about: a few milliseconds of work, between which requests have their turn. */
const APPEND_MOST = 256
/**
 * How long a backlog is put down before what there is of it is signed, in milliseconds: well within the lease. Source:
 * own choice.
 */
const BACKLOG_MS = 4_000
/**
 * After an append whose rows were read in the thread that serves requests, so many times as long as it took is waited: a
 * backlog has a quarter of the thread, as the first start on a store with a past does. Source: own choice.
 */
const BACKLOG_REST = 3
/** A process that has fallen silent is replaced after so long, in milliseconds. Source: own choice. */
const LEASE_MS = 10_000
/** What another process has signed is looked for so often at most, in milliseconds. Source: own choice. */
const LOOK_MS = 900

export interface LedgerLogDeps {
  readonly store: LogStore
  /** The first is the present one; none where the key is gone. */
  readonly signers: readonly LogSigner[]
  readonly file: CheckpointFile
  readonly recent: RecentBatches
  readonly clock: Clock
  readonly processId: string
  /** Told once when the log is refused, with null once it is not any more. */
  readonly onRefusal: (refusal: LogRefusal | null) => void
  /** Told of entries whose rows were gone before they were put down. */
  readonly onMissing: (entries: number) => void
}

/** What health and metrics tell of the log. */
export interface LedgerLogFigures {
  readonly size: number
  readonly signedSize: number
  /** Null where all is well. */
  readonly refusal: LogRefusal | null
}

/** Puts entries down and signs, as long as the log is the one that was published. */
export class LedgerLog {
  readonly #deps: LedgerLogDeps
  #keys: readonly VerifierKey[] = []
  /** What this process has given out last; undefined before the file was read. */
  #noted: SignedCheckpoint | null | undefined
  /** The tree that was found in order last. */
  #seen: TreeEdge | null = null
  #refusal: LogRefusal | null = null
  #size = 0
  #lookedAt = Number.NEGATIVE_INFINITY
  #turn: Promise<void> = Promise.resolve()

  constructor(deps: LedgerLogDeps) {
    this.#deps = deps
  }

  get figures(): LedgerLogFigures {
    return { size: this.#size, signedSize: this.#noted?.size ?? 0, refusal: this.#refusal }
  }

  /** Puts down what waits and signs it, if it is this process's turn. */
  tick(): Promise<void> {
    return this.#inTurn(() => this.#sequence(BACKLOG_REST))
  }

  /**
   * The last checkpoint, once it is safe that this process will not contradict it; null where there is none, or where
   * the log is not the one that was published.
   */
  async published(): Promise<SignedCheckpoint | null> {
    await this.#inTurn(() => this.#follow())
    return this.#refusal === 'shorter' || this.#refusal === 'differs' ? null : (this.#noted ?? null)
  }

  /** The keys of the log, the present one first. */
  async keys(): Promise<readonly VerifierKey[]> {
    return (await listVerifierKeys(this.#deps.store)).toReversed()
  }

  /** Puts down what is left and gives the lease back. */
  async close(): Promise<void> {
    try {
      await this.#inTurn(() => this.#sequence(0))
    } finally {
      await this.#deps.store.endLease(this.#deps.processId)
    }
  }

  /** One thing at a time: a failed one does not end the next. */
  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#turn.then(work)
    this.#turn = done.catch(() => undefined)
    return done
  }

  /** @param rest how many times as long as it took is waited for after each append. */
  async #sequence(rest: number): Promise<void> {
    const { store, clock, processId } = this.#deps
    const log = await this.#openLog()
    // A process that may not sign leaves the lease to others.
    if (log === null || !(await this.#maySign(log))) return
    if (!(await store.takeLease(processId, clock.now(), LEASE_MS))) return
    const edge = await this.#checked(log)
    const grown = edge === null ? null : await this.#appendAll(edge, rest)
    if (grown !== null) await this.#sign(log, grown)
  }

  /** The log, which the first process with a key begins. Null where it cannot begin. */
  async #openLog(): Promise<StoredLog | null> {
    const { store, signers, clock } = this.#deps
    const known = await store.readLog()
    const [first] = signers
    if (known !== null) return known
    if (first === undefined) {
      this.#refuse('no_key')
      return null
    }
    const keys = signers.map(({ key }) => formatVerifierKey(key))
    await store.createLog(first.key.name, keys, clock.now())
    return store.readLog()
  }

  /** Whether a key of this process is one of the log. Keys that are new beside it are added. */
  async #maySign(log: StoredLog): Promise<boolean> {
    const { store, signers, clock } = this.#deps
    const texts = signers.map(({ key }) => formatVerifierKey(key))
    const areKnown = (): boolean => {
      const known = new Set(this.#keys.map(formatVerifierKey))
      return texts.length > 0 && texts.every((text) => known.has(text))
    }
    if (areKnown() && log.origin === signers[0]?.key.name) return true
    this.#keys = await listVerifierKeys(store)
    const refusal = refusalOfKeys(log, signers, this.#keys)
    if (refusal !== null) {
      this.#refuse(refusal)
      return false
    }
    if (!areKnown()) await store.addKeys(texts, log.size, clock.now())
    this.#keys = await listVerifierKeys(store)
    return true
  }

  /** The tree of the log, if it is the one that was published. */
  async #checked(log: StoredLog): Promise<TreeEdge | null> {
    this.#size = log.size
    if (this.#refusal === null && this.#seen !== null && isTreeOf(this.#seen, log.size, log.roots)) return this.#seen
    this.#refuse(await this.#checkTree(log))
    this.#seen = this.#refusal === null ? unpackRoots(log.size, log.roots) : null
    return this.#seen
  }

  /** Compares the tree with what this process and others have given out, and with what the database says was signed. */
  async #checkTree(log: StoredLog): Promise<LogRefusal | null> {
    const { store } = this.#deps
    if (unpackRoots(log.size, log.roots) === null) return 'differs'
    const noted = await this.#readNoted(log.origin)
    const own = noted === null ? null : await refusalOfLog(store, log, noted)
    // The others have not given it out, and would sign something else.
    if (own !== null && noted !== null && log.contradictedBy === null) await store.noteContradiction(noted.note)
    if (own !== null) return own
    for (const note of [log.contradictedBy, log.checkpoint]) {
      if (note === null) continue
      const signed = openCheckpoint(nodeCrypto, note, this.#keys)
      const refusal = signed === null ? 'differs' : await refusalOfLog(store, log, signed)
      if (refusal !== null) return refusal
    }
    return null
  }

  async #readNoted(origin: string): Promise<SignedCheckpoint | null> {
    if (this.#noted === undefined) {
      const note = await this.#deps.file.read()
      this.#noted = note === null ? null : openCheckpoint(nodeCrypto, note, this.#keys)
    }
    // One of another name is of a log that was given up: a new one has begun since.
    return this.#noted?.origin === origin ? this.#noted : null
  }

  /** @returns the tree afterwards; null where another process came between. */
  async #appendAll(from: TreeEdge, rest: number): Promise<TreeEdge | null> {
    const { store, signers, clock, recent, onMissing } = this.#deps
    const [first] = signers
    let edge = from
    if (first === undefined) return null
    const until = performance.now() + BACKLOG_MS
    for (let began = performance.now(); began < until; began = performance.now()) {
      // What is not remembered is read in this thread; PostgreSQL reads elsewhere, and asks for nothing.
      let hasRead = false
      const recall: RecentBatches['recall'] = (pendingId, entries) => {
        const known = recent.recall(pendingId, entries)
        hasRead ||= known === null
        return known
      }
      const appended = await store.append({
        ...{ sealKey: first.sealKey, now: clock.now(), most: APPEND_MOST, edge },
        ...{ recall, onMissing },
      })
      if (appended.edge === null) return null
      edge = appended.edge
      this.#seen = edge
      this.#size = edge.size
      if (appended.leaves < APPEND_MOST) return edge
      await pauseFor(hasRead ? rest * (performance.now() - began) : 0)
    }
    return edge
  }

  /** Signs a tree that this process has checked and made. */
  async #sign({ origin, statements }: StoredLog, edge: TreeEdge): Promise<void> {
    const { store, signers } = this.#deps
    const noted = this.#noted?.origin === origin ? this.#noted : null
    if (noted?.size === edge.size && noted.extensions.length === statements.length) return
    const note = signNote(
      signers,
      formatCheckpoint({ origin, size: edge.size, root: rootOf(sha256, edge), extensions: statements }),
    )
    await store.noteCheckpoint(note, edge.size)
    await this.#note(openCheckpoint(nodeCrypto, note, this.#keys))
  }

  /** Remembers a checkpoint durably; from then on it may be given out. */
  async #note(checkpoint: SignedCheckpoint | null): Promise<void> {
    if (checkpoint === null || checkpoint.note === this.#noted?.note) return
    await this.#deps.file.write(checkpoint.note)
    this.#noted = checkpoint
  }

  /** Looks what another process has signed, and takes it over if it extends what this one has given out. */
  async #follow(): Promise<void> {
    const { store, clock } = this.#deps
    const now = clock.now()
    if (Math.abs(now - this.#lookedAt) < LOOK_MS) return
    this.#lookedAt = now
    const log = await store.readLog()
    if (log?.checkpoint == null || log.checkpoint === this.#noted?.note) return
    this.#keys = await listVerifierKeys(store)
    const refusal = await this.#checkTree(log)
    if (refusal !== null) return this.#refuse(refusal)
    // A process whose key does not fit may give out what others sign.
    await this.#note(openCheckpoint(nodeCrypto, log.checkpoint, this.#keys))
  }

  #refuse(refusal: LogRefusal | null): void {
    if (refusal === this.#refusal) return
    this.#refusal = refusal
    this.#deps.onRefusal(refusal)
  }
}
