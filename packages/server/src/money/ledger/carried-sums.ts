/** What records of requests add up to, in the form in which it is carried on once they are archived. */
import type { ArchivedRequest, CarriedBudget, CarriedSums, CarriedUsage } from './archived-request.ts'

const DAY_MS = 86_400_000

/** Adds up: by key, day, type and model, and by budget and period. In the order in which each first comes. */
export function carriedSumsOf(requests: readonly ArchivedRequest[]): CarriedSums {
  const usage = new Map<string, CarriedUsage>()
  const budgets = new Map<string, CarriedBudget>()
  for (const { record, hold } of requests) {
    const day = Math.floor(record.started_at / DAY_MS)
    const { key_id, account_id, type, model, charge } = record
    const name = JSON.stringify([key_id, day, type, model])
    usage.set(name, addRecord(usage.get(name) ?? { ...NONE, key_id, account_id, day, type, model }, record))
    for (const [budgetId, start] of [
      [hold.key_budget_id, hold.key_window_start],
      [hold.team_budget_id, hold.team_window_start],
    ] as const) {
      if (budgetId === null || start === null) continue
      const window = JSON.stringify([budgetId, start])
      const before = budgets.get(window)?.charge ?? 0n
      budgets.set(window, { budget_id: budgetId, window_start: start, charge: before + charge })
    }
  }
  return { usage: [...usage.values()], budgets: [...budgets.values()] }
}

const NONE = {
  ...{ requests: 0, free_requests: 0, charge: 0n, write_off: 0n, cost: 0n },
  ...{ prompt_tokens: 0, completion_tokens: 0 },
}

function addRecord(sums: CarriedUsage, record: ArchivedRequest['record']): CarriedUsage {
  const isFree = record.charge + record.write_off === 0n
  return {
    ...sums,
    requests: sums.requests + 1,
    free_requests: sums.free_requests + (isFree ? 1 : 0),
    charge: sums.charge + record.charge,
    write_off: sums.write_off + record.write_off,
    cost: sums.cost + record.cost,
    prompt_tokens: sums.prompt_tokens + (record.prompt_tokens ?? 0),
    completion_tokens: sums.completion_tokens + (record.completion_tokens ?? 0),
  }
}
