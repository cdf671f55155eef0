import { expect, test } from 'vitest'
import { findProxy } from './find-proxy.ts'
import { resolveProxy } from './resolve-proxy.ts'
import { environmentSchema } from './environment.ts'

const PROXY = 'http://proxy.example:3128/'

/** The proxy of an address under variables of both kinds. */
function proxyOf(target: string, env: Readonly<Record<string, string>>): string | null {
  const { proxy, problems } = resolveProxy(environmentSchema.parse(env), env)
  expect(problems).toEqual([])
  return findProxy(proxy, new URL(target))?.href ?? null
}

test.each([
  ['https://api.example/v1', { HTTPS_PROXY: PROXY }, PROXY],
  ['https://api.example/v1', { https_proxy: PROXY, HTTPS_PROXY: 'http://other.example:1' }, PROXY],
  ['https://api.example/v1', { HTTP_PROXY: PROXY }, null],
  ['http://api.example/v1', { HTTP_PROXY: PROXY }, PROXY],
  ['http://api.example/v1', { HTTPS_PROXY: PROXY }, null],
  ['http://api.example/v1', { ALL_PROXY: PROXY }, PROXY],
  ['https://api.example/v1', { all_proxy: 'proxy.example:3128' }, PROXY],
  ['smtp://mail.example:587', { HTTPS_PROXY: PROXY }, PROXY],
  ['smtps://mail.example:465', { HTTP_PROXY: PROXY }, null],
  ['https://api.example/v1', {}, null],
  ['https://api.example/v1', { HTTPS_PROXY: '' }, null],
  ['https://api.example/v1', { HTTPS_PROXY: PROXY, SVC_OUTBOUND_PROXY: 'off' }, null],
  ['http://api.example/v1', { HTTPS_PROXY: 'http://other.example:1', SVC_OUTBOUND_PROXY: PROXY }, PROXY],
  ['https://api.example/v1', { HTTPS_PROXY: PROXY, NO_PROXY: 'api.example' }, null],
  ['https://api.example/v1', { HTTPS_PROXY: PROXY, NO_PROXY: 'api.example', SVC_NO_PROXY: 'other.example' }, PROXY],
  [
    'https://u:p%40@api.example/v1',
    { HTTPS_PROXY: 'http://u:p%40@proxy.example:3128' },
    'http://u:p%40@proxy.example:3128/',
  ],
] as const)('%s with %j goes by %s', (target, env, proxy) => {
  expect(proxyOf(target, env)).toBe(proxy)
})

test.each([
  'http://localhost:11434/v1',
  'http://127.0.0.1:11434/v1',
  'http://127.9.9.9/v1',
  'https://[::1]:8443/v1',
  'http://gpu.localhost/v1',
])('%s is this machine, and reached directly whatever is set', (target) => {
  expect(proxyOf(target, { ALL_PROXY: PROXY })).toBeNull()
  expect(proxyOf(target, { SVC_OUTBOUND_PROXY: PROXY })).toBeNull()
})

test.each([
  ['https://api.example', '*', true],
  ['https://api.example', 'other.example, api.example', true],
  ['https://api.example', 'other.example api.example', true],
  ['https://API.Example.', 'api.EXAMPLE', true],
  ['https://eu.api.example', 'api.example', true],
  ['https://eu.api.example', '.api.example', true],
  ['https://api.example', '.api.example', true],
  ['https://eu.api.example', '*.api.example', true],
  ['https://api.example', '*.api.example', false],
  ['https://myapi.example', 'api.example', false],
  ['https://api.example.org', 'api.example', false],
  ['https://api.example', 'api.example:443', true],
  ['https://api.example:8443', 'api.example:443', false],
  ['https://api.example:8443', 'api.example:8443', true],
  ['https://api.example', '*:443', true],
  ['https://10.1.2.3', '10.0.0.0/8', true],
  ['https://11.1.2.3', '10.0.0.0/8', false],
  ['https://10.1.2.3', '10.1.2.3', true],
  ['https://10.1.2.30', '10.1.2.3', false],
  ['https://[fd00::7]', 'fd00::/8', true],
  ['https://[fd00::7]', 'fd00::7', true],
  ['https://[fd00:0:0::7]:8443', '[fd00::7]:8443', true],
  ['https://[fd00::7]:8443', '[fd00::7]:443', false],
  ['https://api.example', '10.0.0.0/99, /, :, [', false],
])('%s with NO_PROXY=%s is an exception: %s', (target, exceptions, isDirect) => {
  expect(proxyOf(target, { HTTPS_PROXY: PROXY, NO_PROXY: exceptions })).toBe(isDirect ? null : PROXY)
})

test.each([
  { HTTPS_PROXY: 'socks5://user:hidden@proxy.example:1080' },
  { HTTP_PROXY: 'http://user:hidden@' },
  { ALL_PROXY: 'http://user:hidden@proxy.example/path' },
  { https_proxy: 'http://user:hidden%@proxy.example' },
])('%j is a problem that says what to do, without the password', (env) => {
  const { problems } = resolveProxy(environmentSchema.parse({}), env)
  expect(problems).toEqual([expect.stringMatching(/^(HTTPS|HTTP|ALL)_PROXY is not the address of an http or https/)])
  expect(problems.join()).not.toContain('hidden')
})

test('the own variable takes an address or off', () => {
  const { error } = environmentSchema.safeParse({ SVC_OUTBOUND_PROXY: 'socks5://user:hidden@proxy.example' })
  expect(error?.issues).toEqual([expect.objectContaining({ path: ['SVC_OUTBOUND_PROXY'] })])
  expect(JSON.stringify(error?.issues)).not.toContain('hidden')
})
