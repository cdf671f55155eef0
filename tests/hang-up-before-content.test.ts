/** A client that leaves after the upstream's head and before its first content. */
import { offerPrice } from '@svc/contract'
import { beforeEach, describe, expect, test } from 'vitest'
import { changeOffer } from '../packages/server/src/operations/actions/change-offers.ts'
import { beginStream } from '../packages/server/testing/stub-upstream.ts'
import { useGateway } from '../packages/server/testing/use-gateway.ts'
import { useStubUpstream } from '../packages/server/testing/use-stub-upstream.ts'
import { chargeOf, lastRecord } from './charge-of.ts'

const stub = useStubUpstream()
const price = { input: '1', output: '2' }
const local = { upstream: 'local', model: 'm', price }
const gateway = useGateway(() => ({
  upstreamUrl: stub.url,
  env: { SVC_UPSTREAM: '', SVC_UPSTREAM_URL: '', SVC_UPSTREAM_API_KEY: '', ROUTER_KEY: 'sk-router' },
  file: {
    upstreams: [
      { name: 'local', kind: 'openai-compatible', url: stub.url },
      { name: 'router', kind: 'openrouter', url: stub.url, api_key_env: 'ROUTER_KEY' },
    ],
    routes: {
      'svc-gpt': local,
      'svc-opus': { ...local, bills_on_cancel: false },
      'svc-claude': { upstream: 'router', model: 'm', price, bills_on_cancel: false },
    },
  },
}))

let asked: { leave: () => void } | null = null

beforeEach(() => {
  stub.onChat = (_call, response) => {
    beginStream(response, { 'x-generation-id': 'gen-left' })
    asked?.leave()
  }
  stub.onOther = (call, response) => {
    const isAsked = call.path.includes('gen-left')
    response.writeHead(isAsked ? 200 : 404, { 'content-type': 'application/json' })
    response.end(isAsked ? '{"data":{"total_cost":0.002}}' : '{}')
  }
})

async function leave(model: string) {
  const { charge } = await chargeOf(gateway, async () => {
    const controller = new AbortController()
    // The head has to arrive before the client goes.
    asked = { leave: () => void setTimeout(() => controller.abort(), 100) }
    await gateway
      .chat({ model, stream: true, messages: [{ role: 'user', content: 'Hello?' }] }, { signal: controller.signal })
      .catch(() => null)
  })
  return { charge, record: await lastRecord(gateway) }
}

describe('pays', () => {
  test('the prompt, estimated, where nothing else is known', async () => {
    const { charge, record } = await leave('svc-gpt')
    expect(record).toMatchObject({ status: 'cancelled', estimated: true, completion_tokens: 0 })
    expect(charge).toBeGreaterThan(0n)
  })

  test('nothing where the upstream bills nothing then', async () => {
    const { charge, record } = await leave('svc-opus')
    expect([record.status, record.error_code, charge]).toEqual(['cancelled', null, 0n])
  })

  test('nothing where a route that operators have set beside the file says so', async () => {
    const { operators } = gateway.gateway
    const by = { operatorId: null, name: 'Test', way: 'command' } as const
    const setRoute = (billsOnCancel: boolean) => {
      const target = { upstream: 'local', model: 'm', price: offerPrice.parse(price), weight: null }
      const value = { targets: [{ ...target, bills_on_cancel: billsOnCancel }], fallback: true }
      return changeOffer(operators, by, { change: { kind: 'route', id: 'svc-gemini', value }, reason: 'a test' })
    }
    await setRoute(true)
    expect((await leave('svc-gemini')).charge).toBeGreaterThan(0n)
    await setRoute(false)
    expect((await leave('svc-gemini')).charge).toBe(0n)
  })

  test('the cost, where the upstream tells it', async () => {
    const { charge, record } = await leave('svc-claude')
    expect([record.status, charge]).toEqual(['cancelled', 2_400_000_000n])
  })
})
