import type { LimitStore } from './limit-store.ts'
import type { StoreLink } from './store-link.ts'
import { type GiveBack, once, slotsError, type StreamLimit, type StreamsAtOnce } from './stream-slots.ts'

export interface SharedStreamSlotsDeps {
  readonly store: Pick<LimitStore, 'takeSlots'>
  readonly link: StoreLink
  readonly processId: string
  /** Processes whose lease was unchanged for too long: their streams no longer count. */
  readonly gone: () => ReadonlySet<string>
  readonly share: () => number
  readonly onRefused: () => void
  readonly pause: (milliseconds: number) => Promise<void>
}

/** A stream that waits to begin. */
interface Waiting {
  readonly begin: (giveBack: GiveBack) => void
  readonly refuse: (error: Error) => void
  readonly most: number
  readonly setFor: string | undefined
  /** Asked for the second time. */
  isLast: boolean
}

interface Caller {
  open: number
  /** What all processes together may have open, as the last stream that came said. */
  most: number
  readonly waiting: Waiting[]
}

/** Callers in one statement at most. */
const CALLERS_AT_ONCE = 500
/**
 * The end of a stream in another process may not be reported yet: who is refused asks once more after so long, in
 * milliseconds. Source: decision 0063.
 */
const SECOND_CHANCE_MS = 50

/**
 * Counts the streams that a caller has open over all processes: never more than the limit. Each process reports how
 * many it has open; they count until it is gone. While the store is down, each process applies its part.
 */
export class SharedStreamSlots implements StreamLimit {
  readonly #deps: SharedStreamSlotsDeps
  readonly #limits: StreamsAtOnce
  readonly #callers = new Map<string, Caller>()
  readonly #due = new Set<string>()
  #running: Promise<void> | null = null

  constructor(deps: SharedStreamSlotsDeps, limits: StreamsAtOnce) {
    this.#deps = deps
    this.#limits = limits
  }

  get open(): number {
    let open = 0
    for (const caller of this.#callers.values()) open += caller.open
    return open
  }

  take(name: string, most = this.#limits.streamsAtOnce, setFor?: string): GiveBack | Promise<GiveBack> {
    const { link, share } = this.#deps
    const caller = this.#callerOf(name)
    caller.most = most
    const part = link.isDown ? Math.max(1, Math.floor(most / share())) : most
    if (caller.open >= part) throw this.#refusal({ most, setFor })
    if (link.isDown) return this.#begin(name, caller)
    return new Promise((begin, refuse) => {
      caller.waiting.push({ begin, refuse, most, setFor, isLast: false })
      this.#request(name)
    })
  }

  /** Reports what is open once more: after an outage the store may know nothing of it. */
  notifyAll(): void {
    for (const name of this.#callers.keys()) this.#request(name)
  }

  /** Resolves once everything is reported. */
  async flush(): Promise<void> {
    while (this.#running !== null) await this.#running
  }

  #request(name: string): void {
    this.#due.add(name)
    this.#running ??= this.#run()
  }

  async #run(): Promise<void> {
    await Promise.resolve()
    while (this.#due.size > 0 && !this.#deps.link.isDown) {
      const names = [...this.#due].slice(0, CALLERS_AT_ONCE)
      for (const name of names) this.#due.delete(name)
      await this.#ask(names)
    }
    // In the same turn in which nothing was due: the next caller begins anew.
    this.#running = null
    if (this.#deps.link.isDown) this.#decideAlone([])
  }

  async #ask(names: readonly string[]): Promise<void> {
    const { store, link, gone, processId } = this.#deps
    const questions = names.map((name) => {
      const { open, waiting, most } = this.#callerOf(name)
      return { caller: name, open, want: waiting.length, most }
    })
    const granted = await link.ask(() => store.takeSlots(questions, processId, gone()))
    if (granted === null) return this.#decideAlone(names)
    questions.forEach(({ caller: name, want }, index) => {
      const caller = this.#callerOf(name)
      const served = caller.waiting.splice(0, want)
      const begins = served.splice(0, granted[index] ?? 0)
      for (const { begin } of begins) begin(this.#begin(name, caller))
      if (served.length > 0) void this.#askLater(name, served)
      this.#forget(name, caller)
    })
  }

  /** The store is down: those who wait are answered by what is open here. The rest is reported when it is back. */
  #decideAlone(names: readonly string[]): void {
    for (const name of names) this.#due.add(name)
    for (const [name, caller] of this.#callers) {
      for (const { begin, refuse, most, setFor } of caller.waiting.splice(0)) {
        try {
          void Promise.resolve(this.take(name, most, setFor)).then(begin, refuse)
        } catch (error) {
          refuse(error as Error)
        }
      }
    }
  }

  /** Asks once more for those who were refused; who was asked for twice is refused for good. */
  async #askLater(name: string, refused: readonly Waiting[]): Promise<void> {
    for (const last of refused.filter(({ isLast }) => isLast)) last.refuse(this.#refusal(last))
    const again = refused.filter(({ isLast }) => !isLast)
    if (again.length === 0) return
    await this.#deps.pause(SECOND_CHANCE_MS)
    const caller = this.#callerOf(name)
    for (const waiting of again) caller.waiting.push(Object.assign(waiting, { isLast: true }))
    if (this.#deps.link.isDown) this.#decideAlone([name])
    else this.#request(name)
  }

  #begin(name: string, caller: Caller): GiveBack {
    caller.open += 1
    return once(() => {
      caller.open -= 1
      this.#callers.set(name, caller)
      this.#request(name)
    })
  }

  #callerOf(name: string): Caller {
    const caller = this.#callers.get(name) ?? { open: 0, most: this.#limits.streamsAtOnce, waiting: [] }
    this.#callers.set(name, caller)
    return caller
  }

  #refusal({ most, setFor }: Pick<Waiting, 'most' | 'setFor'>): Error {
    this.#deps.onRefused()
    return slotsError(most, setFor)
  }

  #forget(name: string, { open, waiting }: Caller): void {
    if (open === 0 && waiting.length === 0 && !this.#due.has(name)) this.#callers.delete(name)
  }
}
