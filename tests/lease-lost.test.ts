/** A process that is cut off from its database stops delivering before another one may settle its holds. */
import { expect, test } from 'vitest'
import { beginStream, chunkText, sendEvent, startStubUpstream } from '../packages/server/testing/stub-upstream.ts'
import { startTcpProxy, type TcpProxy } from '../packages/server/testing/tcp-proxy.ts'
import { findPostgres } from '../packages/server/testing/test-database.ts'
import { startTestGateway } from '../packages/server/testing/test-gateway.ts'
import { cardOf } from './charge-of.ts'
import { QUESTION } from './events-of.ts'
import { hasText, openStream, recordOf } from './open-stream.ts'

test.skipIf(findPostgres() === null)('its streams end with an error, and cost what was delivered', async () => {
  const stub = await startStubUpstream()
  stub.onChat = (_call, response) => {
    beginStream(response)
    sendEvent(response, chunkText({ content: 'a word, ' }))
  }
  let proxy: TcpProxy | null = null
  const gateway = await startTestGateway({
    ...{ engine: 'postgres', upstreamUrl: stub.url, credits: '1000' },
    file: { limits: { lease_ms: 4_000, journal_ms: 300 } },
    leadTo: async (url) => {
      proxy = await startTcpProxy(url)
      return proxy.through(url)
    },
  })
  const stream = await openStream(gateway, QUESTION)
  await stream.until(hasText)
  const broken = proxy as TcpProxy | null
  broken?.stall()
  // The upstream would go on for ever, and nothing but the lease ends the stream.
  const rest = stream.rest()
  await expect
    .poll(() => gateway.logged.some((line) => line.includes('the lease of this process cannot be renewed')))
    .toBe(true)
  await broken?.heal()
  expect((await rest).json.error).toMatchObject({ code: 'server_is_overloaded' })
  await gateway.settled()
  const record = await recordOf(gateway, stream.requestId)
  expect(record.charge).toBe(cardOf(record.prompt_tokens, 2))
  await gateway.stop()
  await broken?.close()
  await stub.close()
})
