/** Totals of requests. */
export interface UsageTotals {
  readonly requests: number
  readonly charge: bigint
  readonly promptTokens: number
  readonly completionTokens: number
}

/** Totals of no request. */
export const NO_USAGE: UsageTotals = { requests: 0, charge: 0n, promptTokens: 0, completionTokens: 0 }

/** Both together. */
export function addTotals(left: UsageTotals, right: UsageTotals): UsageTotals {
  return {
    requests: left.requests + right.requests,
    charge: left.charge + right.charge,
    promptTokens: left.promptTokens + right.promptTokens,
    completionTokens: left.completionTokens + right.completionTokens,
  }
}
