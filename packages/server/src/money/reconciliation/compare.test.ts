/** What a reconciliation finds between records and what an upstream has billed, with no database and no server. */
import { nanocreditsOf } from '@svc/contract'
import { describe, expect, test } from 'vitest'
import { attoUsdOf, parseUsd, usdOfNanocredits } from '../../pricing/usd.ts'
import type { BilledGeneration, BilledModel } from '../../upstreams/upstream-figures.ts'
import type { BilledRequest } from '../billing/read-billed-requests.ts'
import { compareActivity } from './compare-activity.ts'
import { compareInvoice } from './compare-invoice.ts'
import { type DaySpan, parseDay } from './day-span.ts'
import type { InvoiceLine } from './invoice.ts'
import type { ReconciliationReport } from './report.ts'

const DAY = '2026-03-31'
const SPAN = parseDay(DAY) as DaySpan
const at = (time: string): number => Date.parse(`2026-03-31T${time}Z`)
const MINUTE = 60_000

let made = 0

function record(
  generation: string | readonly string[],
  cost: bigint,
  parts: Partial<BilledRequest> = {},
): BilledRequest {
  const generationIds = typeof generation === 'string' ? [generation] : generation
  const startedAt = parts.startedAt ?? at('12:00:00')
  return {
    ...{ requestId: `request-${++made}`, model: 'm', cost, roundings: 0, generationIds },
    ...{ startedAt, endedAt: startedAt + 2_000 },
    ...parts,
  }
}

function line(generationId: string, cost: bigint, time: number | null = at('12:00:01')): InvoiceLine {
  return { generationId, cost: usdOfNanocredits(cost), at: time, model: 'm' }
}

async function* stepsOf<T>(rows: readonly T[]): AsyncGenerator<readonly T[]> {
  for (let from = 0; from < rows.length; from += 2) yield rows.slice(from, from + 2)
}

async function* each<T>(rows: readonly T[]): AsyncGenerator<T> {
  yield* rows
}

type Found = Pick<ReconciliationReport, 'here' | 'there' | 'atEdge' | 'unnamed' | 'kinds' | 'differences' | 'notes'>

const invoice = (records: readonly BilledRequest[], lines: readonly InvoiceLine[], partIds?: number): Promise<Found> =>
  compareInvoice(SPAN, { records: () => stepsOf(records), lines: () => each(lines) }, partIds)

/** Each difference as a line of words. */
function told({ differences }: Found): readonly string[] {
  return differences.map(({ kind, generationId, here, there }) => `${kind} ${generationId} ${here.cost} ${there.cost}`)
}

/** What was found adds up to what both sums differ by. */
function expectSums({ here, there, kinds }: Found): void {
  const sum = kinds.reduce((total, kind) => total + kind.there.cost - kind.here.cost, 0n)
  expect(there.cost - here.cost).toBe(sum)
}

describe('with an invoice', () => {
  test('finds a record that was dropped, doubled, changed, and one that the upstream does not know', async () => {
    const records = [
      record('same', 10n),
      record('changed', 10n),
      record('twice', 10n),
      record('twice', 10n),
      record('unknown', 10n),
      record('billed-twice', 10n),
      record('free', 0n),
    ]
    const lines = [
      ...[line('same', 10n), line('changed', 11n), line('twice', 10n), line('dropped', 7n)],
      ...[line('billed-twice', 10n), line('billed-twice', 10n), line('free-there', 0n)],
    ]
    const found = await invoice(records, lines)
    expect(told(found)).toEqual([
      'missing_here dropped 0 7',
      'missing_there unknown 10 0',
      'doubled_here twice 20 10',
      'doubled_there billed-twice 10 20',
      'cost_differs changed 10 11',
    ])
    expect(found.differences.find(({ kind }) => kind === 'doubled_here')?.requestIds).toEqual([
      records[2]?.requestId,
      records[3]?.requestId,
    ])
    expectSums(found)
  })

  test('finds the same in parts, however small', async () => {
    const ids = Array.from({ length: 200 }, (_, index) => `gen-${index}`)
    const records = [
      ...ids.map((id) => record(id, 5n)),
      record(['many-1', 'many-2'], 9n, { roundings: 1 }),
      record('gen-7', 5n),
    ]
    const lines = [...ids.map((id) => line(id, id === 'gen-9' ? 6n : 5n)), line('many-2', 4n), line('many-1', 5n)]
    const whole = await invoice(records, lines)
    expect(told(whole)).toEqual(['doubled_here gen-7 10 5', 'cost_differs gen-9 5 6'])
    expect(await invoice(records, lines, 3)).toEqual(whole)
  })

  test('leaves what is of another day alone, and asks for nothing at the edges of the day', async () => {
    const next = SPAN.end
    const records = [
      record('before', 1n, { startedAt: SPAN.start - 3_600_000 }),
      record('late', 2n, { startedAt: next - 1_000, endedAt: next + 30_000 }),
      record('late-and-unknown', 3n, { startedAt: next - 1_000, endedAt: next + 30_000 }),
      record('early', 4n, { startedAt: SPAN.start - MINUTE, endedAt: SPAN.start + MINUTE }),
      record('long', 5n, { startedAt: SPAN.start - 20 * 3_600_000, endedAt: at('02:00:00') }),
    ]
    const lines = [
      line('before', 1n, SPAN.start - 3_599_000),
      line('late', 2n, next + 20_000),
      line('early', 4n, SPAN.start + 5_000),
      line('long', 6n, at('01:59:59')),
      line('of-the-next-day', 9n, next + 3_600_000),
    ]
    const found = await invoice(records, lines)
    expect(told(found)).toEqual(['cost_differs long 5 6'])
    expect(found.atEdge).toEqual({ rows: 1, cost: 3n })
    expect(found.notes).toEqual(['3 rows of the file are of other days and were used only to find records.'])
  })

  test('takes an invoice without times as that of the day', async () => {
    const found = await invoice([record('a', 1n)], [line('a', 1n, null), line('b', 2n, null)])
    expect(told(found)).toEqual(['missing_here b 0 2'])
  })

  test('allows each part of a sum its rounding, and no more', async () => {
    const tenth = (id: string): InvoiceLine => ({ ...line(id, 0n), cost: attoUsdOf(parseUsd('0.0000000000011') ?? 0n) })
    const both = [tenth('a'), tenth('b')]
    expect(told(await invoice([record(['a', 'b'], 3n, { roundings: 1 })], both))).toEqual([])
    expect(told(await invoice([record(['a', 'b'], 2n, { roundings: 1 })], both))).toEqual(['cost_differs a 2 4'])
  })

  test('counts records that the upstream gave no id apart', async () => {
    const found = await invoice([record([], 8n), record('a', 1n)], [line('a', 1n)])
    expect([found.unnamed, told(found)]).toEqual([{ rows: 1, cost: 8n }, []])
  })
})

describe('with sums by model', () => {
  interface Upstream {
    readonly day: readonly BilledModel[]
    readonly generations?: Readonly<Record<string, { readonly cost: bigint; readonly at?: number }>>
    readonly lookups?: number
  }
  let asked: string[] = []

  function activity(records: readonly BilledRequest[], { day, generations = {}, lookups }: Upstream): Promise<Found> {
    asked = []
    const figures = {
      readDay: () => Promise.resolve(day),
      findGeneration: (id: string): Promise<BilledGeneration | null> => {
        asked.push(id)
        const found = generations[id]
        return Promise.resolve(
          found === undefined ? null : { cost: usdOfNanocredits(found.cost), at: found.at ?? at('12:00:01') },
        )
      },
    }
    return compareActivity(SPAN, { records: () => stepsOf(records), figures }, lookups)
  }
  const sumOf = (cost: bigint, requests: number, name = 'm'): BilledModel => ({
    ...{ names: [name, `${name}-2026`], requests },
    cost: usdOfNanocredits(cost),
  })

  test('asks for nothing more where the sums agree, but for what a float loses', async () => {
    const records = [record('a', 1_000_000_000_000n), record('b', 5n, { model: 'other-2026' })]
    const found = await activity(records, { day: [sumOf(1_000_000_000_000n + 500n, 1), sumOf(5n, 1, 'other')] })
    expect([told(found), asked]).toEqual([[], []])
  })

  test('names what was changed, doubled and unknown, and the sum of what is missing here', async () => {
    const records = [record('same', 100n), record('changed', 100n), record('unknown', 100n), record('twice', 100n)]
    const other = record('elsewhere', 70n, { model: 'n' })
    const found = await activity([...records, record('twice', 100n), other], {
      day: [sumOf(100n + 150n + 100n + 4_000n, 4), sumOf(70n, 1, 'n')],
      generations: { same: { cost: 100n }, changed: { cost: 150n }, twice: { cost: 100n } },
    })
    expect(told(found)).toEqual([
      'missing_here null 0 4000',
      'missing_there unknown 100 0',
      'doubled_here twice 100 0',
      'cost_differs changed 100 150',
    ])
    expect(asked).not.toContain('elsewhere')
    expectSums(found)
  })

  test('asks of what is at the edges on which day it was', async () => {
    const next = SPAN.end
    const records = [
      record('mine', 30n, { startedAt: SPAN.start - 1_000 }),
      record('theirs', 40n, { startedAt: next - 1_000 }),
      record('plain', 50n),
    ]
    const found = await activity(records, {
      day: [sumOf(80n, 2)],
      generations: { mine: { cost: 30n, at: SPAN.start + 500 }, theirs: { cost: 40n, at: next + 500 } },
    })
    expect([told(found), asked.toSorted()]).toEqual([[], ['mine', 'theirs']])
    expect(found.here).toEqual({ rows: 2, cost: 80n })
  })

  test('says that it has not looked at everything', async () => {
    const records = Array.from({ length: 5 }, (_, index) => record(`g-${index}`, 100n))
    const generations = Object.fromEntries(records.map((_, index) => [`g-${index}`, { cost: 100n }]))
    const found = await activity(records, { day: [sumOf(9_000n, 6)], generations, lookups: 3 })
    expect(asked).toHaveLength(3)
    expect(found.notes).toHaveLength(1)
    expect(told(found)).toEqual(['missing_here null 0 8500'])
  })

  test('names a model that only one side has', async () => {
    const found = await activity([record('a', 3_000n)], { day: [sumOf(9n, 1, 'unheard-of')] })
    expect(told(found)).toEqual(['missing_here null 0 9', 'missing_there a 3000 0'])
    expect(found.there.cost - found.here.cost).toBe(nanocreditsOf(9n - 3_000n))
  })
})
