import { expect, test } from 'vitest'
import { sendCompletion } from '../../../../testing/stub-upstream.ts'
import { describeEachEngine } from '../../../../testing/test-database.ts'
import { useGateway } from '../../../../testing/use-gateway.ts'
import { useStubUpstream } from '../../../../testing/use-stub-upstream.ts'

describeEachEngine('a paid chat request', (engine) => {
  const stub = useStubUpstream()
  const gateway = useGateway(() => ({ engine, upstreamUrl: stub.url }))

  test('is charged cost × 1.2 exactly, and the balance falls by exactly that', async () => {
    stub.onChat = (_call, response) => sendCompletion(response, { cost: '0.00095' })
    const before = await gateway.balance()
    const answer = await gateway.chat({ model: 'openai/gpt-4o', messages: [{ role: 'user', content: 'Hi' }] })
    expect(answer.status).toBe(200)
    expect(await answer.text()).toContain('"svc":{"credits_charged":1.14,"margin_bps":2000}')
    expect(answer.headers.get('x-svc-credits-charged')).toBe('1.14')
    await gateway.settled()
    const after = await gateway.balance()
    expect(before.posted - after.posted).toBe(1_140_000_000n)
  })
})
