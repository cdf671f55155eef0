/** Credits as a float: for a metric, which has no other numbers. Never to be calculated with. */
export function creditsForDisplay(nanocredits: bigint): number {
  return Number(nanocredits) / 1e9
}
