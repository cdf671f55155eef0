/** A stream that ends at an unusual moment costs nothing that was not delivered. */
import { expect, test } from 'vitest'
import { beginStream } from '../packages/server/testing/stub-upstream.ts'
import { useGatewayPerTest } from '../packages/server/testing/use-gateway.ts'
import { useStubUpstream } from '../packages/server/testing/use-stub-upstream.ts'
import { errorOf } from './error-of.ts'
import { createGate, question } from './open-stream.ts'

const stub = useStubUpstream()
const gateway = useGatewayPerTest(() => ({ upstreamUrl: stub.url }))

const body = question('svc-gpt', { max_tokens: 500, stream: true })

test('a stream that a revocation ends before its first content is refused and free', async () => {
  const begun = createGate()
  stub.onChat = (_call, response) => {
    beginStream(response)
    begun.open()
  }
  const answer = gateway.chat(body)
  await begun.opened
  await gateway.revokeKey(gateway.keyId)
  const response = await answer
  expect([response.status, (await errorOf(response)).code]).toEqual([401, 'invalid_api_key'])
  await gateway.settled()
  const records = await gateway.gateway.database.read.selectFrom('usage_record').selectAll().execute()
  expect(records).toMatchObject([{ status: 'error', error_code: 'invalid_api_key', charge: 0n }])
})
