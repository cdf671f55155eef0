/** What an upstream says itself that it has billed, where it says so at all. */
import type { AttoUsd } from '../pricing/price.ts'

/** What it billed for one model on a day. */
export interface BilledModel {
  /** Names that it has for the model, the one that requests use first. */
  readonly names: readonly string[]
  readonly requests: number
  readonly cost: AttoUsd
}

/** What it says of one generation. */
export interface BilledGeneration {
  readonly cost: AttoUsd
  /** Milliseconds since the epoch; null where it does not say. */
  readonly at: number | null
}

export interface UpstreamFigures {
  /**
   * What was billed on a day, by model.
   *
   * @param day UTC, such as `2026-03-31`, and over.
   * @throws {FiguresUnavailableError} when it does not answer as it should.
   */
  readDay(day: string): Promise<readonly BilledModel[]>
  /**
   * Looks one generation up. Null: there is none.
   *
   * @throws {FiguresUnavailableError} when it does not answer as it should.
   */
  findGeneration(generationId: string): Promise<BilledGeneration | null>
  close(): Promise<void>
}

/** An upstream does not say what it has billed. The message holds no secret. */
export class FiguresUnavailableError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause })
    this.name = 'FiguresUnavailableError'
  }
}
