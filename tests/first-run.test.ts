import { expect, test } from 'vitest'
import { createBrowserSession } from '../packages/server/testing/browser-session.ts'
import { openGatewayProcesses } from '../packages/server/testing/gateway-process.ts'
import { startStubUpstream } from '../packages/server/testing/stub-upstream.ts'
import { buildConsole } from '../tools/console/build-console.ts'

test('a start without an operator prints a link that makes one, once', async () => {
  await buildConsole()
  const stub = await startStubUpstream()
  const processes = await openGatewayProcesses({ engine: 'sqlite', upstreamUrl: stub.url, credits: '1' })
  const gateway = await processes.start()
  const link = /http:\/\/\S+\/console\/first-run#(\S+)/
  await expect.poll(() => gateway.output()).toMatch(link)
  const [, token] = link.exec(gateway.output()) ?? []
  const person = { token, email: 'first@example.com', name: 'First', password: 'a long enough password' }
  const browser = createBrowserSession(gateway.baseUrl)
  await browser.json('POST', '/auth/first-run', person)
  const { user } = await browser.json<{ user: { is_operator: boolean } }>('GET', '/console/session')
  expect(user.is_operator).toBe(true)
  const second = createBrowserSession(gateway.baseUrl)
  expect((await second.call('POST', '/auth/first-run', { ...person, email: 'second@example.com' })).ok).toBe(false)
  gateway.signal('SIGTERM')
  await gateway.exited
  const next = await processes.start()
  await expect.poll(() => next.output()).toContain('SVC is ready.')
  expect(next.output()).not.toMatch(link)
  await processes.stop()
  await stub.close()
}, 180_000)
