/** Either side of a stream may leave at any point: what was delivered is charged, once, and never the whole hold. */
import type { ServerResponse } from 'node:http'
import { beforeEach, expect, test } from 'vitest'
import type { UsageRecordBody } from '@svc/contract'
import {
  beginStream,
  chunkText,
  sendCompletion,
  sendEvent,
  type StubCall,
  usageText,
} from '../packages/server/testing/stub-upstream.ts'
import { useGatewayPerTest } from '../packages/server/testing/use-gateway.ts'
import { useStubUpstream } from '../packages/server/testing/use-stub-upstream.ts'
import { chargeOf } from './charge-of.ts'
import {
  createGate,
  credits,
  hasText,
  isFinish,
  openStream,
  type OpenStream,
  question,
  recordOf,
} from './open-stream.ts'
import { recomputeCharge } from './recompute-charge.ts'

const stub = useStubUpstream()
beforeEach(() => {
  stub.onOther = (_call, response) => void response.writeHead(404).end()
})
const gateway = useGatewayPerTest(() => ({ upstreamUrl: stub.url }))

const body = question('svc-claude', { max_tokens: 4_000 })
/** Nanocredits for a token of `svc-claude`. Source: the rate card, 12 and 60 credits per million. */
const [INPUT, OUTPUT] = [12_000n, 60_000n]

type Record = UsageRecordBody & { readonly charge: bigint }

/** Reads a stream as far as `use` wants, and answers what it cost in the end and what the record says. */
async function costOf(
  use: (stream: OpenStream) => Promise<void>,
): Promise<{ readonly charge: bigint; readonly record: Record }> {
  const { result, charge } = await chargeOf(gateway, async () => {
    const stream = await openStream(gateway, body)
    await use(stream)
    return stream
  })
  const record = await recordOf(gateway, result.requestId)
  expect([record.charge, recomputeCharge(record)]).toEqual([charge, charge])
  return { charge, record }
}

/** The charge of counted tokens, where no usage came. */
function estimated(record: Record, textBytes: number): bigint {
  expect(record).toMatchObject({ estimated: true, basis: 'estimate' })
  expect(record.prompt_tokens).toBeGreaterThan(0)
  expect(record.completion_tokens).toBe(Math.ceil(textBytes / 4))
  return BigInt(record.prompt_tokens ?? 0) * INPUT + BigInt(record.completion_tokens ?? 0) * OUTPUT
}

/** Sends frames of eight bytes each until the gateway closes, and counts them. */
function endlessStream(): { sent: number } {
  const state = { sent: 0 }
  stub.onChat = (call, response) => {
    beginStream(response)
    const timer = setInterval(() => {
      state.sent++
      sendEvent(response, chunkText({ content: 'a word, ' }))
    }, 5)
    void call.closed.then(() => clearInterval(timer))
  }
  return state
}

// Case B001
test('a client that leaves in the middle pays for what was delivered, once, and the upstream is stopped', async () => {
  const upstream = endlessStream()
  let read = 0
  const { charge, record } = await costOf(async (stream) => {
    for (read = 0; read < 10; read++) await stream.until(hasText)
    stream.leave()
  })
  await stub.chats.at(-1)?.closed
  const tokens = record.completion_tokens ?? 0
  expect(tokens).toBeGreaterThanOrEqual((read * 8) / 4)
  expect(tokens).toBeLessThanOrEqual((upstream.sent * 8) / 4)
  expect(record.status).toBe('cancelled')
  expect(charge).toBe(estimated(record, tokens * 4))
})

test('a client that leaves pays what the upstream says that its request cost, where it can be asked', async () => {
  stub.onOther = (call, response) => {
    const isAsked = call.path.endsWith('/generation?id=gen-left')
    response.writeHead(isAsked ? 200 : 404, { 'content-type': 'application/json' })
    response.end(isAsked ? '{"data":{"id":"gen-left","total_cost":0.000500000001}}' : '{}')
  }
  stub.onChat = (_call, response) => {
    beginStream(response, { 'x-generation-id': 'gen-left' })
    sendEvent(response, chunkText({ content: 'Hello' }))
  }
  const { charge, record } = await costOf(async (stream) => {
    await stream.until(hasText)
    stream.leave()
  })
  // 0.000500000001 USD × 1.2 × 1,000, rounded up once.
  expect(charge).toBe(600_000_002n)
  expect(record).toMatchObject({ status: 'cancelled', basis: 'cost' })
})

test('usage that was reported early is completed by what was delivered since', async () => {
  stub.onOther = (_call, response) => void response.writeHead(404).end()
  stub.onChat = (_call, response) => {
    beginStream(response)
    sendEvent(response, usageText({ prompt_tokens: 11, completion_tokens: 1 }))
    sendEvent(response, chunkText({ content: 'x'.repeat(4_000) }))
  }
  const { charge, record } = await costOf(async (stream) => {
    await stream.until(hasText)
    stream.leave()
  })
  expect(record).toMatchObject({ prompt_tokens: 11, completion_tokens: 1_001, estimated: true, status: 'cancelled' })
  expect(charge).toBe(11n * INPUT + 1_001n * OUTPUT)
})

test('usage and cost that were reported early do not cut the bill of a stream that breaks', async () => {
  stub.onChat = (_call, response) => {
    beginStream(response)
    sendEvent(response, usageText({ prompt_tokens: 11, completion_tokens: 1 }, '0.000001'))
    sendEvent(response, chunkText({ content: 'x'.repeat(4_000) }))
    setTimeout(() => response.destroy(), 20)
  }
  const { charge, record } = await costOf(async (stream) => {
    await stream.until(({ json }) => json.error !== undefined)
  })
  expect(record).toMatchObject({ completion_tokens: 1_001, estimated: true })
  expect(charge).toBe(11n * INPUT + 1_001n * OUTPUT)
})

// Case B002
test('a client that leaves after the finish reason is charged by the usage that still comes', async () => {
  const left = createGate()
  stub.onChat = async (_call, response) => {
    beginStream(response)
    sendEvent(response, chunkText({ content: 'Hello' }))
    await left.opened
    sendEvent(response, chunkText({}, 'stop'))
    sendEvent(response, usageText({ prompt_tokens: 11, completion_tokens: 200 }))
    response.write('data: [DO')
    response.end('NE]\n\n')
  }
  const { charge, record } = await costOf(async (stream) => {
    await stream.until(hasText)
    left.open()
    await stream.until(isFinish)
    stream.leave()
  })
  expect(charge).toBe(11n * INPUT + 200n * OUTPUT)
  expect(record).toMatchObject({ prompt_tokens: 11, completion_tokens: 200, estimated: false })
})

test('a client that leaves between the finish reason and the usage is charged by that usage', async () => {
  const arrived = Promise.withResolvers<{ readonly call: StubCall; readonly response: ServerResponse }>()
  stub.onChat = (call, response) => {
    beginStream(response)
    sendEvent(response, chunkText({ content: 'Hello' }))
    sendEvent(response, chunkText({}, 'stop'))
    arrived.resolve({ call, response })
  }
  const { charge } = await costOf(async (stream) => {
    await stream.until(hasText)
    stream.leave()
    const { response } = await arrived.promise
    // The gateway has seen the client go once its own line about it is in the log.
    await expect.poll(() => gateway.logged.some((line) => line.includes(stream.requestId))).toBe(true)
    sendEvent(response, usageText({ prompt_tokens: 11, completion_tokens: 200 }))
    sendEvent(response, '[DONE]')
    response.end()
  })
  expect(charge).toBe(11n * INPUT + 200n * OUTPUT)
})

test(
  'a finished answer whose usage never comes is an estimate after a client that left',
  { timeout: 40_000 },
  async () => {
    stub.onChat = (_call, response) => {
      beginStream(response)
      sendEvent(response, chunkText({ content: 'Hello you' }))
      sendEvent(response, chunkText({}, 'stop'))
    }
    const { charge, record } = await costOf(async (stream) => {
      await stream.until(hasText)
      stream.leave()
    })
    expect(charge).toBe(estimated(record, 9))
  },
)

test('a client that leaves before the upstream has answered at all pays nothing', async () => {
  const arrived = createGate()
  stub.onChat = () => arrived.open()
  const client = new AbortController()
  const { charge } = await chargeOf(gateway, async () => {
    const answer = gateway.chat({ ...body, stream: true }, { signal: client.signal })
    answer.catch(() => undefined)
    await arrived.opened
    client.abort()
    await stub.chats.at(-1)?.closed
  })
  expect(charge).toBe(0n)
  const { data } = (await (await gateway.fetch('/v1/usage')).json()) as { data: Record[] }
  expect(data).toMatchObject([{ status: 'cancelled', credits_charged: 0 }])
})

test('a client that leaves after the 200 of the upstream and before any content pays the prompt', async () => {
  stub.onChat = (_call, response) => {
    beginStream(response)
    // Chunks without content, more than the gateway keeps back before it answers 200 itself.
    for (let sent = 0; sent < 1_000; sent++) sendEvent(response, chunkText({ content: '' }))
  }
  const { charge, record } = await costOf(async (stream) => stream.leave())
  expect(charge).toBe(estimated(record, 0))
  expect(record).toMatchObject({ status: 'cancelled', completion_tokens: 0 })
})

test('an answer that is not streamed is charged whole when its client has gone', async () => {
  const [arrived, gate] = [createGate(), createGate()]
  stub.onChat = async (_call, response) => {
    arrived.open()
    await gate.opened
    sendCompletion(response, { usage: { prompt_tokens: 100, completion_tokens: 100 } })
  }
  const client = new AbortController()
  const { charge } = await chargeOf(gateway, async () => {
    const answer = gateway.chat(body, { signal: client.signal })
    answer.catch(() => undefined)
    await arrived.opened
    client.abort()
    gate.open()
  })
  expect(charge).toBe(100n * INPUT + 100n * OUTPUT)
  const { data } = (await (await gateway.fetch('/v1/usage')).json()) as { data: Record[] }
  expect(data).toMatchObject([{ prompt_tokens: 100, completion_tokens: 100, estimated: false }])
})

const TEXT = 'thirteen kilobytes of text '.repeat(500)

/** Sends text in pieces, and then what `end` does. */
function dyingStream(end: (response: ServerResponse) => void): void {
  stub.onChat = async (_call, response) => {
    beginStream(response)
    for (let at = 0; at < TEXT.length; at += 500) sendEvent(response, chunkText({ content: TEXT.slice(at, at + 500) }))
    // What was written before has left once this is called.
    await new Promise<void>((resolve) => response.write(': sent\n\n', () => resolve()))
    end(response)
  }
}

// Case B004
test.each<[string, (response: ServerResponse) => void]>([
  ['closes its connection', (response) => void response.end()],
  ['breaks its connection', (response) => void response.destroy()],
])(
  'an upstream that %s without a verdict: the delivered text is charged, and the client gets an error',
  async (_how, end) => {
    dyingStream(end)
    let text = ''
    const { charge, record } = await costOf(async (stream) => {
      const last = await stream.rest()
      expect(last.json.error).toMatchObject({ code: 'upstream_error' })
      expect(last.json.choices).toBeUndefined()
      text = stream.text()
    })
    expect(text.length).toBeGreaterThan(0)
    expect(TEXT.startsWith(text)).toBe(true)
    expect(charge).toBe(estimated(record, text.length))
    expect(charge).toBeLessThan(credits('0.3'))
  },
)

test('an upstream that says that it failed in mid-stream is free, and the client gets an error', async () => {
  dyingStream((response) => {
    sendEvent(response, JSON.stringify({ error: { code: 502, message: 'Provider disconnected' } }))
    response.end()
  })
  const { charge, record } = await costOf(async (stream) => {
    const last = await stream.rest()
    expect(last.json.error).toMatchObject({ code: 'upstream_error' })
  })
  expect(charge).toBe(0n)
  expect(record).toMatchObject({ status: 'error', error_code: 'upstream_error', basis: null })
})

test('an upstream that says that it failed and what it billed is charged that', async () => {
  dyingStream((response) => {
    sendEvent(response, usageText({ prompt_tokens: 10, completion_tokens: 10 }, '0.0025'))
    sendEvent(response, JSON.stringify({ error: { code: 502, message: 'Provider disconnected' } }))
    response.end()
  })
  const { charge } = await costOf(async (stream) => {
    expect((await stream.rest()).json.error).toBeDefined()
  })
  expect(charge).toBe(credits('3'))
})
