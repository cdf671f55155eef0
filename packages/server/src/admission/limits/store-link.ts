import type { Logger } from '../../platform/runtime/log.ts'
import type { LimitMetrics } from '../../telemetry/metrics/limit-metrics.ts'

export interface StoreLinkDeps {
  readonly log: Pick<Logger, 'warn' | 'info'>
  /** Null where metrics are off. */
  readonly metrics: LimitMetrics | null
  /** Asks the store for nothing, to see whether it answers. */
  readonly probe: () => Promise<unknown>
  /** How long an answer may take, in milliseconds; a request waits for it. */
  readonly answerMs: number
}

/**
 * The way to the store that processes share. When the store fails or is too slow it is left alone, and every process
 * goes on with its part of the limits, until a probe is answered.
 */
export class StoreLink {
  readonly #deps: StoreLinkDeps
  #isDown = false
  #probing: Promise<unknown> | null = null

  constructor(deps: StoreLinkDeps) {
    this.#deps = deps
  }

  /** Whether the store does not answer, so that each process has to do with its part. */
  get isDown(): boolean {
    return this.#isDown
  }

  /** Asks the store. @returns null when it is down, or goes down by this question. Never rejects. */
  async ask<Answer extends object>(question: () => Promise<Answer>): Promise<Answer | null> {
    if (this.#isDown) return null
    const { metrics } = this.#deps
    const startedAt = performance.now()
    try {
      const answer = await this.#inTime(question())
      metrics?.exchanged('ok', (performance.now() - startedAt) / 1_000)
      return answer
    } catch (error) {
      metrics?.exchanged('failed', (performance.now() - startedAt) / 1_000)
      this.#goDown(error)
      return null
    }
  }

  /** Looks whether a store that was down answers again. @returns whether it has just come back. */
  async probe(): Promise<boolean> {
    // An abandoned question may still hold a connection: another one would only take one more.
    if (!this.#isDown || this.#probing !== null) return false
    const probing = this.#deps.probe()
    const ended = probing.then(noted, noted).finally(() => (this.#probing = null))
    this.#probing = ended
    try {
      await this.#inTime(probing)
    } catch {
      return false
    }
    this.#isDown = false
    this.#deps.metrics?.setDown(false)
    this.#deps.log.info('limits are shared between processes again')
    return true
  }

  #goDown(error: unknown): void {
    if (this.#isDown) return
    this.#isDown = true
    this.#deps.metrics?.setDown(true)
    this.#deps.log.warn(
      { err: error },
      'limits cannot be shared between processes: each goes on with its part of them until the database answers',
    )
  }

  #inTime<Answer>(answer: Promise<Answer>): Promise<Answer> {
    const { answerMs } = this.#deps
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        // A process that was busy itself reads what has arrived meanwhile before it says that nothing did.
        setImmediate(() => reject(new Error(`no answer within ${answerMs} ms`)))
      }, answerMs)
      answer.then(resolve, reject).finally(() => clearTimeout(timer))
    })
  }
}

function noted(): void {
  // How a late answer ends is not reported: the outage has been.
}
