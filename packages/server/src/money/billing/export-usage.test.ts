import { expect, test } from 'vitest'
import { exportTeamUsage } from './export-usage.ts'
import type { UsageRow, UsageStore } from './usage-store.ts'

const idOf = (index: number): string => `01990000-0000-7000-8000-${String(index).padStart(12, '0')}`

const rowOf = (index: number): UsageRow => ({
  ...{ usage_id: idOf(index), key_id: 'k', key_name: 'key', account_id: 'a', team_id: 't', job_id: null },
  ...{ created_at: 0, started_at: index, type: 'chat', model: 'svc-gpt', upstream: null, upstream_model: null },
  ...{ status: 'ok', error_code: null, stream: 0, prompt_tokens: 1, completion_tokens: 1, cached_tokens: 0 },
  ...{ reasoning_tokens: 0, charge: 1n, write_off: 0n, cost: 1n, basis: 'card', estimated: 0, pricing: null },
  ...{ generation_id: null, latency_ms: 5 },
})

test('a file of many requests is read in pages, each request once, and no more than is taken', async () => {
  const all = Array.from({ length: 1_203 }, (_value, index) => rowOf(1_202 - index))
  let reads = 0
  const list: UsageStore['list'] = (_filter, _span, { after, limit }) => {
    reads += 1
    const start = after === null ? 0 : all.findIndex(({ usage_id: id }) => id === after) + 1
    return Promise.resolve(all.slice(start, start + limit))
  }
  const deps = { store: { list } as UsageStore }
  const reach = { accountId: 'a', teamId: 't', userId: 'u', seesAll: true }
  const text = (await Array.fromAsync(exportTeamUsage(deps, reach, {}))).join('')
  const lines = text.split('\r\n')
  expect(lines.at(-1)).toBe('')
  expect(lines.slice(1, -1).map((line) => line.slice(0, 36))).toEqual(all.map(({ usage_id: id }) => id))
  expect(lines[1]).toContain(',0.000000001,card,false,5,')

  reads = 0
  for await (const part of exportTeamUsage(deps, reach, {})) if (part.includes(idOf(1_202))) break
  expect(reads).toBe(1)
})
