/** Many readers and many requests leave nothing behind. */
import { Agent, request as httpRequest } from 'node:http'
import { beforeEach, expect, test } from 'vitest'
import { eventually } from '../../packages/server/testing/eventually.ts'
import { keptBytes } from '../../packages/server/testing/kept-bytes.ts'
import { sendCompletion, sendStream } from '../../packages/server/testing/stub-upstream.ts'
import { useGateway } from '../../packages/server/testing/use-gateway.ts'
import { useStubUpstream } from '../../packages/server/testing/use-stub-upstream.ts'
import { type Flood, flood, MIB, openDeafClient, standStill, STREAM_BODY } from '../deaf-readers.ts'
import { QUESTION } from '../events-of.ts'

const stub = useStubUpstream()
const gateway = useGateway(() => ({ upstreamUrl: stub.url, credits: '100000000', env: { SVC_LOG_LEVEL: 'error' } }))

beforeEach(() => {
  stub.chats.length = 0
  stub.onChat = (call, response) => (call.json?.['stream'] === true ? sendStream(response) : sendCompletion(response))
})

function openSockets(): number {
  return process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length
}

// B062
test('500 readers who hang up while the stream runs, some of them full, leave nothing behind', async () => {
  const before = openSockets()
  const hangUp = async (count: number, isTime: (floods: readonly Flood[]) => Promise<void>): Promise<void> => {
    const floods: Flood[] = []
    stub.onChat = (_call, response) => void floods.push(flood(response, 200 * MIB))
    const clients = Array.from({ length: count }, () => openDeafClient(gateway))
    await eventually(() => expect(floods).toHaveLength(count))
    await isTime(floods)
    expect(floods.map((state) => state.over)).toEqual(floods.map(() => false))
    for (const client of clients) client.destroy()
    await eventually(() => expect(floods.every((state) => state.over)).toBe(true))
    await gateway.settled()
  }
  await hangUp(20, standStill)
  for (let wave = 0; wave < 8; wave++) await hangUp(60, () => Promise.resolve())
  expect(stub.chats).toHaveLength(500)
  await eventually(() => expect(openSockets()).toBeLessThanOrEqual(before + 2))
})

// B176, B177
test('neither listeners nor memory grow with the number of requests', async () => {
  const warnings: string[] = []
  const note = (warning: Error): void => void warnings.push(warning.message)
  process.on('warning', note)
  const agent = new Agent({ keepAlive: true, maxSockets: 10 })
  const headers = { authorization: `Bearer ${gateway.key}`, 'content-type': 'application/json' }
  const once = (body: string): Promise<number | undefined> =>
    new Promise((resolve, reject) => {
      const sent = httpRequest(`${gateway.v1}/chat/completions`, { method: 'POST', agent, headers }, (response) => {
        response.resume()
        response.once('end', () => resolve(response.statusCode))
      })
      sent.once('error', reject)
      sent.end(body)
    })
  const whole = JSON.stringify({ ...QUESTION, max_tokens: 100 })
  const run = async (count: number): Promise<void> => {
    const worker = async (): Promise<void> => {
      for (let turn = 0; turn < count / 20; turn++)
        expect([await once(STREAM_BODY), await once(whole)]).toEqual([200, 200])
    }
    await Promise.all(Array.from({ length: 10 }, worker))
    await gateway.settled()
    stub.chats.length = 0
    gateway.logged.length = 0
  }
  await run(500)
  const before = keptBytes()
  const timers = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
  await run(2_000)
  const perRequest = (keptBytes() - before) / 2_000
  console.log(`${Math.round(perRequest)} bytes kept a request`)
  // A listener or a signal that stays takes more than this, and far more with what it holds.
  expect(perRequest).toBeLessThan(1_000)
  expect(process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length).toBeLessThanOrEqual(timers + 2)
  expect(warnings).toEqual([])
  process.off('warning', note)
  agent.destroy()
})
