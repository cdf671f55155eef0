/** A few kills on each engine. `npm run chaos` does hundreds. */
import { expect, test } from 'vitest'
import { createRandom } from '../../packages/server/testing/random.ts'
import { describeEachEngine, findPostgres } from '../../packages/server/testing/test-database.ts'
import type { Books } from '../../proof/chaos/books.ts'
import { compareBooks, type Evidence } from '../../proof/chaos/compare-books.ts'
import { planAnswer } from '../../proof/chaos/answer-plan.ts'
import { createChargeOracle } from '../../proof/chaos/expected-charge.ts'
import type { Attempt } from '../../proof/chaos/hostile-client.ts'
import type { InvoiceLine } from '../../proof/chaos/invoice-upstream.ts'
import { runChaos } from '../../proof/chaos/run-chaos.ts'

const KILLS = 3
const { seed } = createRandom()

describeEachEngine('killed at random moments under load', (engine) => {
  test(`what clients were told, the ledger and the invoice agree (seed ${seed})`, async () => {
    const processes = engine === 'sqlite' ? 1 : 2
    const postgresUrl = findPostgres()
    const report = await runChaos({ engine, seed, kills: KILLS, clients: 6, processes, postgresUrl })
    const differences = Object.fromEntries([...report.differences].filter(([, each]) => each.length > 0))
    expect(differences, `repeat with npm run chaos -- --kills ${KILLS} --seed ${seed} --database ${engine}`).toEqual({})
    expect(report.restartsMs).toHaveLength(KILLS)
    expect(report.attempts.filter(({ end }) => end === 'whole').length).toBeGreaterThan(0)
  })
})

/** A question whose whole answer has an exact price. */
function wholeLine(): InvoiceLine {
  const tag = [...Array(100).keys()].find((each) => planAnswer(1, each).behaviour === 'whole') ?? 0
  const line = { generationId: 'gen-1', tag, model: 'openai/gpt-6-astra', stream: false, plan: planAnswer(1, tag) }
  return { ...line, isWhole: true, lookUps: 0 }
}

/** Books of one answer that was delivered, booked and invoiced; the parts that a test gives are different. */
function evidence(
  change: { attempt?: Partial<Attempt>; usage?: Partial<Books['usage'][number]>; line?: null } = {},
): Evidence {
  const line = wholeLine()
  const oracle = createChargeOracle()
  const charge = oracle.exact(line) ?? 0n
  const attempt: Attempt = {
    ...{ tag: line.tag, keyIndex: 0, stream: false, startedAt: 1, endedAt: 2, end: 'whole', status: 200 },
    ...{ requestId: 'r', charge, text: line.plan.words.join(''), finishReason: 'stop', errorCode: null },
    ...change.attempt,
  }
  const usage = {
    ...{ usage_id: 'r', key_id: 'k', account_id: 'a', status: 'ok' as const, error_code: null, charge },
    ...{ write_off: 0n, cost: 0n, estimated: 0, generation_id: 'gen-1' },
    ...change.usage,
  }
  const transfer = { transfer_id: 't', account_id: 'a', kind: 'capture', hold_id: 'r', funding: 0n, write_off: 0n }
  return {
    attempts: [attempt],
    invoice: change.line === null ? [] : [line],
    books: {
      usage: [usage],
      transfers: usage.charge === 0n ? [] : [{ ...transfer, charge: usage.charge }],
      holds: [{ hold_id: 'r', state: 'captured' }],
      balances: [{ account_id: 'a', posted: 10n ** 15n - usage.charge, held: 0n }],
    },
    keys: [{ keyId: 'k', accountId: 'a', rawKey: '', revokedAt: null, fixedBudget: null }],
    grants: new Map([['a', 10n ** 15n]]),
    oracle,
  }
}

function broken(given: Evidence): string[] {
  return [...compareBooks(given)].flatMap(([promise, differences]) => (differences.length === 0 ? [] : [promise]))
}

test('the comparison is silent when all books agree', () => {
  expect(broken(evidence())).toEqual([])
})

test.each([
  ['a charge that was told and not booked', { usage: { charge: 0n } }, 'what clients were told is in the ledger, once'],
  ['an answer that is free', { usage: { charge: 0n }, attempt: { charge: 0n } }, 'nothing delivered whole is free'],
  ['a charge without a question', { line: null }, 'every charge is for a question that the upstream saw'],
  [
    'a charge that is too high by the least',
    { usage: { charge: (createChargeOracle().exact(wholeLine()) ?? 0n) + 1n } },
    'whole answers cost what invoice and card say, and say what was sent',
  ],
  ['a failure that is charged', { attempt: { end: 'refused', status: 502 } }, 'failed is free'],
  [
    'an answer that is cut',
    { attempt: { text: '' } },
    'whole answers cost what invoice and card say, and say what was sent',
  ],
  ['an attempt that hung', { attempt: { end: 'hung' } }, 'all is settled, balances are grants less charges'],
] as const)('the comparison finds %s', (_what, change, promise) => {
  expect(broken(evidence(change))).toContain(promise)
})
