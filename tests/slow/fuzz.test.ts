/** Some random requests to each endpoint. `npm run fuzz` sends thousands. */
import { expect, test } from 'vitest'
import { hasEvm } from '../../packages/server/testing/evm-chain.ts'
import { runChainFuzz } from '../../proof/fuzz/chain/run-chain-fuzz.ts'
import { runListFuzz } from '../../proof/fuzz/lists/run-list-fuzz.ts'
import { BrokenAnswerError, readAnswers } from '../../proof/fuzz/raw-answers.ts'
import { faultsOf, runFuzz } from '../../proof/fuzz/run-fuzz.ts'

const REQUESTS = 40
const CONSOLE_REQUESTS = 6
const LISTS = 8
/** The same requests each time: new ones are for the command, which repeats and reports what it finds. */
const SEED = 8

test(`no endpoint fails, hangs or answers twice, whatever it is sent (seed ${SEED})`, async () => {
  const report = await runFuzz({
    ...{ engine: 'sqlite', postgresUrl: null },
    ...{ seed: SEED, requests: REQUESTS, consoleRequests: CONSOLE_REQUESTS, connections: 6 },
    ...{ path: '0', slowSenders: 0, breakerRequests: 0, only: null },
  })
  expect(faultsOf(report), `repeat with npm run fuzz -- --requests ${REQUESTS} --seed ${SEED}`).toEqual([])
  expect(report.operations.length).toBeGreaterThan(100)
  expect(report.upstreamAnswers).toBeGreaterThan(REQUESTS)
})

test.skipIf(!hasEvm())(
  'nodes that answer anything credit nothing that was not paid, and nothing is lost',
  async () => {
    const report = await runChainFuzz({ engine: 'sqlite', postgresUrl: null, seed: SEED, payments: 6, requests: 2 })
    expect([...report.faults, ...report.operations.flatMap((each) => each.faults)]).toEqual([])
    expect(report.audit.code, report.audit.output).toBe(0)
    expect(report.claims).toBeGreaterThan(report.payments)
  },
  // Longer than the proof itself waits, so that it is the proof which says what is missing.
  400_000,
)

test('no list of models that an upstream answers with ends the catalog, or sells anything for nothing', async () => {
  const { faults, taken } = await runListFuzz({ seed: SEED, lists: LISTS })
  expect(faults, `repeat with npm run fuzz -- --only lists --lists ${LISTS} --seed ${SEED}`).toEqual([])
  expect(taken).toBeGreaterThan(0)
})

test.each([
  ['a second answer that is cut', 'HTTP/1.1 204 No Content\r\n\r\nHTTP/1.1 200 OK\r\n'],
  ['bytes behind an answer', 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\nab'],
  ['an answer without a length', 'HTTP/1.1 200 OK\r\n\r\na'],
  ['a header with a line end', 'HTTP/1.1 200 OK\r\na: b\nc\r\ncontent-length: 0\r\n\r\n'],
  ['a chunk that is too long', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n1\r\nab\r\n0\r\n\r\n'],
])('the reader of answers finds %s', (_what, text) => {
  expect(() => readAnswers(Buffer.from(text, 'latin1'))).toThrow(BrokenAnswerError)
})

test('the reader of answers reads one after the other', () => {
  const chunked = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n'
  const answers = readAnswers(Buffer.from(`${chunked}HTTP/1.1 404 Not Found\r\ncontent-length: 1\r\n\r\nc`))
  expect(answers.map(({ status, body }) => [status, body.toString()])).toEqual([
    [200, 'ab'],
    [404, 'c'],
  ])
})
