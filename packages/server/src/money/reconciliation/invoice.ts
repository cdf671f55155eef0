import type { AttoUsd } from '../../pricing/price.ts'

/** One generation as an upstream's invoice has it. */
export interface InvoiceLine {
  readonly generationId: string
  readonly cost: AttoUsd
  /** Milliseconds since the epoch; null where the invoice does not say. */
  readonly at: number | null
  readonly model: string | null
}
