import { describe, expect, test } from 'vitest'
import { isLoopback, whyReachable } from './reach.ts'

test('loopback is 127.0.0.0/8, ::1 and localhost, however they are written', () => {
  const loopback = ['localhost', 'LOCALHOST', 'svc.localhost', 'localhost.', '127.0.0.1', '127.9.9.9', '::1', '[::1]']
  const other = ['0.0.0.0', '::', '[::]', '10.0.0.1', 'localhost.example.com', '127.0.0.1.example.com', '128.0.0.1', '']
  expect([...loopback, '::ffff:127.0.0.1'].filter((host) => !isLoopback(host))).toEqual([])
  expect([...other, '::ffff:10.0.0.1'].filter(isLoopback)).toEqual([])
})

describe('a gateway can be reached by other machines', () => {
  const local = { SVC_HOST: 'localhost', SVC_PUBLIC_URL: undefined, SVC_TRUSTED_PROXIES: undefined }
  const cases: readonly [what: string, settings: Partial<Parameters<typeof whyReachable>[0]>, reason: RegExp | null][] =
    [
      ['on loopback, with nothing else said', {}, null],
      ['on every address', { SVC_HOST: '0.0.0.0' }, /^a server on 0\.0\.0\.0/],
      ['on every address, however it is named', { SVC_HOST: '::', SVC_PUBLIC_URL: 'http://localhost:8787' }, /on ::/],
      ['by a public URL', { SVC_PUBLIC_URL: 'https://ai.example.com' }, /at https:\/\/ai\.example\.com$/],
      ['by a public URL of its network', { SVC_PUBLIC_URL: 'http://192.168.1.7:8787' }, /at http:\/\/192/],
      ['by a public URL of this machine', { SVC_PUBLIC_URL: 'https://svc.localhost' }, null],
      ['through a proxy', { SVC_TRUSTED_PROXIES: ['loopback'] }, /^SVC_TRUSTED_PROXIES/],
      [
        'through a proxy for this machine alone',
        { SVC_TRUSTED_PROXIES: ['loopback'], SVC_PUBLIC_URL: 'https://svc.localhost' },
        null,
      ],
    ]
  test.each(cases)('%s', (_what, settings, reason) => {
    const found = whyReachable({ ...local, ...settings })
    if (reason === null) expect(found).toBeNull()
    else expect(found).toMatch(reason)
  })
})
