import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ConfigError } from './config-error.ts'
import { loadConfig } from './load-config.ts'

let workingDir = ''
beforeEach(() => {
  workingDir = mkdtempSync(join(tmpdir(), 'svc-config-'))
})
afterEach(() => rmSync(workingDir, { recursive: true }))

const secret = 'f00d'.repeat(16)
const production = {
  ...{ SVC_HOST: '0.0.0.0', SVC_KEY_PEPPER: secret, SVC_SESSION_SECRET: secret },
  ...{ SVC_PUBLIC_URL: 'https://ai.example.com/', SVC_UPSTREAM: 'openrouter', SVC_UPSTREAM_API_KEY: 'sk-or-v1-test' },
}
const XPUB = `xpub${'6'.repeat(107)}`
const OTHER_XPUB = `xpub${'7'.repeat(107)}`
const main = { SVC_RPC_URLS_4663: 'https://one.example,https://two.example', SVC_DEPOSIT_XPUB: XPUB }
const testnet = { SVC_RPC_URLS_46630: 'https://test.example', SVC_DEPOSIT_XPUB_TESTNET: OTHER_XPUB }
const testnetChain = { token: `0x${'11'.repeat(20)}`, eth_usd: '2500' }
const TREASURY = `0x${'7E'.repeat(20)}`

function load(env: Record<string, string>, deposits: object = {}) {
  writeFileSync(join(workingDir, 'svc.config.json'), JSON.stringify({ deposits }))
  return loadConfig({ env, workingDir })
}

function problemsOf(env: Record<string, string>, deposits: object = {}): string {
  try {
    load(env, deposits)
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  }
  throw new Error('the configuration was accepted')
}

describe('deposits', () => {
  test('are off where no chain is read', () => {
    expect(load(production).config.deposits).toBeNull()
  })

  test('on the main network need an address of a provider and a key, no more', () => {
    const { config, notices } = load({ ...production, ...main })
    expect(config.deposits).toMatchObject({
      ...{ mode: 'address', minimumUsd: '1', autoLimitUsd: '10000', secondOpinionUsd: '500', watchMs: 3_000 },
      chains: [
        {
          ...{ chainId: 4663, xpub: XPUB, rpcUrls: ['https://one.example', 'https://two.example'] },
          token: '0x5fc5360d0400a0fd4f2af552add042d716f1d168',
          ethUsd: null,
        },
      ],
    })
    expect(notices.filter((notice) => notice.includes('SVC_RPC_URLS'))).toEqual([])
  })

  test('by one provider work, with a notice', () => {
    const { notices } = load({ ...production, ...main, SVC_RPC_URLS_4663: 'https://one.example' })
    expect(notices.join()).toContain('SVC_RPC_URLS_4663 names one provider')
  })

  // A test network's coins are free: credits for them would be, too.
  test('on the test network are refused in production, whatever is allowed', () => {
    const chains = { chains: { 46630: testnetChain } }
    expect(problemsOf({ ...production, ...testnet }, chains)).toContain('SVC_ALLOW_TESTNET is not')
    const allowed = { ...production, ...testnet, SVC_ALLOW_TESTNET: 'true' }
    expect(problemsOf(allowed, chains)).toContain('for a gateway that this machine alone can reach')
    expect(problemsOf({ ...production, ...main, SVC_ALLOW_TESTNET: 'true' })).toContain(
      'for a gateway that this machine alone can reach',
    )
  })

  test('on the test network are refused beside a real upstream, since their credits would buy real work', () => {
    const real = { SVC_UPSTREAM: 'openai-compatible', SVC_UPSTREAM_URL: 'http://127.0.0.1:8080/v1' }
    const env = { ...real, ...testnet, SVC_ALLOW_TESTNET: 'true' }
    expect(problemsOf(env, { chains: { 46630: testnetChain } })).toContain('for the sandbox alone')
  })

  test('on the test network are taken by a sandbox on loopback, where that is said', () => {
    const chains = { chains: { 46630: testnetChain } }
    expect(problemsOf(testnet, chains)).toContain('SVC_ALLOW_TESTNET is not')
    const { config } = load({ ...testnet, SVC_ALLOW_TESTNET: 'true' }, chains)
    expect(config.deposits?.chains).toMatchObject([{ chainId: 46630, ethUsd: '2500', ethFeed: null }])
  })

  // Real payments would buy sandbox answers.
  test('on the main network are refused by a sandbox, on a laptop and in production', () => {
    for (const upstream of ['sandbox', undefined]) {
      const sandbox: Record<string, string> = upstream === undefined ? {} : { SVC_UPSTREAM: upstream }
      for (const place of [{}, { ...production, SVC_UPSTREAM: 'sandbox' }]) {
        const { SVC_UPSTREAM_API_KEY: _key, ...rest } = { SVC_UPSTREAM_API_KEY: '', ...place, ...sandbox }
        const problems = problemsOf({ ...rest, ...main })
        expect(problems).toContain('SVC_RPC_URLS_4663 names the main network')
        expect(problems).toContain('Name a real upstream with SVC_UPSTREAM, or leave SVC_RPC_URLS_4663 out')
      }
    }
    const mixed = { ...main, SVC_RPC_URLS_4663: 'http://127.0.0.1:8545,https://two.example' }
    expect(problemsOf(mixed)).toContain('names the main network')
    const treasury = { SVC_RPC_URLS_4663: main.SVC_RPC_URLS_4663, SVC_DEPOSIT_MODE: 'treasury' }
    expect(problemsOf({ ...treasury, SVC_DEPOSIT_TREASURY: TREASURY })).toContain('names the main network')
  })

  test.each(['http://127.0.0.1:8545', 'http://localhost:8545', 'http://[::1]:8545'])(
    'on a local chain are taken by a sandbox (%s)',
    (url) => {
      const { config } = load({ ...main, SVC_RPC_URLS_4663: url })
      expect(config.deposits?.chains).toMatchObject([{ chainId: 4663, rpcUrls: [url] }])
    },
  )

  test.each([
    ['a key that both networks share', { ...main, ...testnet, SVC_DEPOSIT_XPUB_TESTNET: XPUB }, {}, 'are the same'],
    ['no key', { SVC_RPC_URLS_4663: 'https://one.example' }, {}, 'SVC_DEPOSIT_XPUB is missing'],
    ['no treasury', { ...main, SVC_DEPOSIT_MODE: 'treasury' }, {}, 'SVC_DEPOSIT_TREASURY is missing'],
    ['no token', { ...testnet, SVC_ALLOW_TESTNET: 'true' }, { chains: { 46630: { eth_usd: '1' } } }, '46630.token'],
    [
      ...(['no price', { ...testnet, SVC_ALLOW_TESTNET: 'true' }] as const),
      ...([{ chains: { 46630: { token: testnetChain.token } } }, 'needs eth_feed, or a fixed price'] as const),
    ],
    ['a fixed price of real ETH', main, { chains: { 4663: { eth_usd: '2500' } } }, 'real ETH is priced by its feed'],
  ])('are refused with %s', (_name, env: Record<string, string>, deposits, problem) => {
    expect(problemsOf(env, deposits)).toContain(problem)
  })

  test('to a treasury need no key', () => {
    const env = { SVC_RPC_URLS_4663: main.SVC_RPC_URLS_4663, SVC_DEPOSIT_MODE: 'treasury' }
    const { config } = load({ ...production, ...env, SVC_DEPOSIT_TREASURY: TREASURY })
    expect(config.deposits).toMatchObject({ mode: 'treasury', chains: [{ treasury: TREASURY.toLowerCase() }] })
  })
})
