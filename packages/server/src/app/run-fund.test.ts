import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { runFund } from './run-fund.ts'

async function fund(...words: string[]) {
  const printed: string[] = []
  const print = (line: string): void => void printed.push(line)
  // Neither a key nor a chain is there: the command line is looked at before either.
  const code = await runFund(words, { env: { SVC_DATA_DIR: '/nowhere' }, print, printError: print })
  return { code, printed }
}

const portOf = (server: Server): number => (server.address() as AddressInfo).port

test.each([
  ['usdg', '0', 6],
  ['usdg', '0.000', 6],
  ['usdg', '-1', 6],
  ['usdg', '1e3', 6],
  ['usdg', 'much', 6],
  ['usdg', '1.0000001', 6],
  ['eth', '0.0000000000000000001', 18],
])('--%s %s is refused before anything is sent', async (asset, amount, decimals) => {
  const allowed = `Give an amount above 0 with at most ${decimals} decimals, such as 25 or 0.01.`
  expect(await fund(`--${asset}`, amount)).toEqual({
    code: 2,
    printed: [`error: option '--${asset} <amount>' argument '${amount}' is invalid. ${allowed}`],
  })
})

describe('a deposit that no waiting credits', () => {
  let server: Server
  let dataDir: string
  let deposit: object
  beforeEach(async () => {
    // The chain and the gateway in one: a transaction is sent, claimed, and found in the state that a test sets.
    server = createServer((request, response) => {
      const chains = [{ chainId: 4663, address: `0x${'1'.repeat(40)}` }]
      const answers: Readonly<Record<string, object>> = {
        '/': { jsonrpc: '2.0', id: 1, result: `0x${'2'.repeat(64)}` },
        '/api/deposits/address': { minimum_usd: 1, chains },
        '/api/deposits/claim': { id: 'dep_1' },
        '/api/deposits/dep_1': deposit,
      }
      response.setHeader('content-type', 'application/json').end(JSON.stringify(answers[request.url ?? '']))
    }).listen(0)
    await once(server, 'listening')
    dataDir = mkdtempSync(join(tmpdir(), 'svc-fund-'))
    mkdirSync(join(dataDir, 'chains'))
    writeFileSync(join(dataDir, 'chains', '4663.url'), `http://localhost:${portOf(server)}/`)
    writeFileSync(join(dataDir, 'demo-key'), 'a key')
  })
  afterEach(() => {
    server.closeAllConnections()
    server.close()
    rmSync(dataDir, { recursive: true })
  })

  test.each([
    [{ status: 'confirming', reason: 'below_minimum' }, 'below the minimum of 1 USD'],
    [{ status: 'under_review', reason: 'under_review' }, 'npm run admin -- deposits show dep_1'],
    [{ status: 'rejected', reason: null }, 'rejected by an operator'],
  ])(
    'ends the command at once: %j',
    async (state, said) => {
      deposit = state
      const printed: string[] = []
      const print = (line: string): void => void printed.push(line)
      const env = { SVC_DATA_DIR: dataDir, SVC_PORT: String(portOf(server)) }
      const code = await runFund(['--eth', '0.0001'], { env, print, printError: print })
      expect([code, printed.at(-1)]).toEqual([1, expect.stringContaining(said)])
    },
    10_000,
  )
})

test('two amounts are refused, and one is taken', async () => {
  expect(await fund('--usdg', '1', '--eth', '1')).toMatchObject({ code: 2 })
  const { code, printed } = await fund('--eth', '0.01')
  expect(code).toBe(1)
  expect(printed).toEqual([expect.stringContaining('error: There is no demo key in /nowhere: start the sandbox')])
})
