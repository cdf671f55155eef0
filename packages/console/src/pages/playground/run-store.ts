/**
 * What was asked for and what came of it, outside of the pages: a request goes on while the person looks at something
 * else, and what came is kept in the browser.
 */
import type { Client, Exact, TeamUsageRecord } from '@svc/contract'
import { keep, type KeptKind, listKept, type Owner, removeKept, removeOthers } from './kept-things.ts'
import { named } from '../../api/named.ts'
import { newId } from '../../api/new-id.ts'
import { dropKey, isKeyGone, playClient, playKeyId } from './pay/play-client.ts'
import { type FailureFacts, factsOf } from './pay/failure-facts.ts'
import { type AnswerHead, isRefusal } from './pay/answer-head.ts'
import { findLost, readCharge } from './pay/read-charge.ts'

/** One request. `cut` is what was running when the page was left. */
export interface Run {
  readonly id: string
  /** Names its request: the gateway works once for it. Absent in what earlier pages kept. */
  readonly name?: string
  /** When it was sent, in milliseconds since the epoch. */
  readonly at: number
  readonly model: string
  readonly state: 'running' | 'done' | 'failed' | 'cut'
  readonly requestId: string | null
  /** Exact decimal text; null while it is not known. */
  readonly charge: string | null
  readonly isEstimated: boolean
  readonly failure: FailureFacts | null
  /** The page's key that paid. */
  readonly keyId: string | null
}

export interface RunState<Kind extends Run> {
  /** False until what the browser kept has been read. */
  readonly isReady: boolean
  /** Newest first. */
  readonly runs: readonly Kind[]
}

/** What the work of a run is given. */
export interface Work<Kind extends Run> {
  readonly client: Client
  readonly options: {
    readonly headers: Readonly<Record<string, string>>
    readonly onResponse: (head: AnswerHead) => void
  }
  /** Changes the run while it goes on. */
  readonly tell: (change: Partial<Kind>) => void
}

/** Codes after which a request is another one: the gateway works under its name no more. */
const NAME_IS_SPENT: ReadonlySet<string | null> = new Set(['idempotency_answer_gone', 'idempotency_key_reused'])

/** The name for another try of what has failed: the answer may have been lost on its way, after it was charged. */
export function nameOfAgain({ state, name, failure }: Run): string {
  const isOpen = (state === 'failed' || state === 'cut') && !NAME_IS_SPENT.has(failure?.code ?? null)
  return isOpen && name !== undefined ? name : newId()
}

/** @param name of the request. */
export function newRun(model: string, name: string): Run {
  return {
    name,
    id: newId(),
    at: Date.now(),
    model,
    state: 'running',
    requestId: null,
    charge: null,
    isEstimated: false,
    failure: null,
    keyId: null,
  }
}

export class RunStore<Kind extends Run> {
  readonly #owner: Owner
  readonly #kind: KeptKind
  readonly #listeners = new Set<() => void>()
  #state: RunState<Kind> = { isReady: false, runs: [] }
  #isClosed = false
  /** Called whenever a charge has become known. */
  onCharged: () => void = () => undefined

  constructor(owner: Owner, kind: KeptKind) {
    this.#owner = owner
    this.#kind = kind
    void this.#load()
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  readonly snapshot = (): RunState<Kind> => this.#state

  async #load(): Promise<void> {
    await removeOthers(this.#owner.userId)
    const kept = await listKept<Kind>(this.#owner, this.#kind)
    const runs = kept.map((run) => (run.state === 'running' ? { ...run, state: 'cut' as const } : run))
    this.#set({ isReady: true, runs: [...this.#state.runs, ...runs] })
    for (const run of runs) if (run.state === 'cut' && run.charge === null) void this.#settle(run)
  }

  /** Does the work with the page's key, and finds out what it cost, however it ends. Never throws. */
  async start(run: Kind, work: (work: Work<Kind>) => Promise<Partial<Kind>>): Promise<void> {
    const { name = run.id } = run
    // A second click on "Try again".
    if (this.#state.runs.some((each) => each.name === name && each.state === 'running')) return
    this.#set({ ...this.#state, runs: [run, ...this.#state.runs] })
    this.#keep(run.id)
    const { teamId } = this.#owner
    try {
      const client = await playClient(teamId)
      this.change(run.id, { keyId: playKeyId(teamId) } as Partial<Kind>)
      const tell = (change: Partial<Kind>): void => this.change(run.id, change)
      const onResponse = ({ status, headers }: AnswerHead): void => {
        const requestId = headers.get('x-request-id')
        tell({ requestId, ...(isRefusal(status) ? { charge: '0' } : {}) } as Partial<Kind>)
      }
      const done = await work({ client, options: { ...named(name), onResponse }, tell })
      this.change(run.id, { ...done, state: 'done' })
    } catch (error) {
      if (isKeyGone(error)) dropKey(teamId)
      const failure = factsOf(error instanceof Error ? error : new Error('That did not work.'))
      const { request_id: earlier } = failure.details
      // A repetition was refused because the answer of the request which was charged is gone.
      const requestId = typeof earlier === 'string' ? { requestId: earlier } : {}
      this.change(run.id, { state: 'failed', failure, ...requestId } as Partial<Kind>)
    }
    const ended = this.#find(run.id)
    if (ended?.charge === null) await this.#settle(ended)
    this.#keep(run.id)
    this.onCharged()
  }

  async #settle(run: Kind): Promise<void> {
    const record = await this.#recordOf(run)
    if (record === undefined) return
    const told: Partial<Run> =
      record === null
        ? { charge: '0' }
        : { charge: record.credits_charged, isEstimated: record.estimated, requestId: record.request_id }
    this.change(run.id, told as Partial<Kind>)
    this.#keep(run.id)
    this.onCharged()
  }

  async #recordOf({ requestId, keyId, model, at }: Kind): Promise<Exact<TeamUsageRecord> | null | undefined> {
    const { teamId } = this.#owner
    if (requestId !== null) return readCharge(teamId, requestId)
    if (keyId === null) return null
    const isTaken = (id: string): boolean => this.#state.runs.some((each) => each.requestId === id)
    return findLost(teamId, { keyId, model, sentAt: at, isTaken })
  }

  remove(id: string): void {
    this.#set({ ...this.#state, runs: this.#state.runs.filter((run) => run.id !== id) })
    void removeKept(this.#owner, this.#kind, id)
  }

  change(id: string, change: Partial<Kind>): void {
    this.#set({ ...this.#state, runs: this.#state.runs.map((run) => (run.id === id ? { ...run, ...change } : run)) })
  }

  /** Keeps nothing any more: the person signs out. */
  close(): void {
    this.#isClosed = true
    this.#listeners.clear()
  }

  #find(id: string): Kind | undefined {
    return this.#state.runs.find((run) => run.id === id)
  }

  #keep(id: string): void {
    const run = this.#find(id)
    if (run !== undefined && !this.#isClosed) void keep(this.#owner, this.#kind, run)
  }

  #set(state: RunState<Kind>): void {
    this.#state = state
    for (const listener of this.#listeners) listener()
  }
}

const stores = new Map<string, RunStore<never>>()

/** The one store of a person, a team and a kind. The caller knows what it keeps there. */
export function runStoreOf<Kind extends Run>(owner: Owner, kind: KeptKind): RunStore<Kind> {
  const key = `${owner.userId}/${owner.teamId}/${kind}`
  const store = (stores.get(key) as RunStore<Kind> | undefined) ?? new RunStore<Kind>(owner, kind)
  stores.set(key, store as unknown as RunStore<never>)
  return store
}

export function closeRunStores(): void {
  for (const store of stores.values()) store.close()
  stores.clear()
}
