/**
 * Sends one request after another over a number of connections, as a process of its own so that its CPU is not the
 * gateway's.
 */
import { Pool } from 'undici'

interface Order {
  readonly origin: string
  readonly path: string
  readonly key: string
  readonly connections: number
  readonly seconds: number
  /** Requests a second over all connections; 0 for as many as go. */
  readonly rate: number
}

const body = JSON.stringify({
  model: 'svc-gpt',
  max_tokens: 256,
  temperature: 0.7,
  messages: [
    { role: 'system', content: 'You are a helpful assistant that answers in one short paragraph.' },
    { role: 'user', content: 'Tell me about the quick brown fox and the lazy dog, please. '.repeat(3) },
  ],
})

async function run(order: Order): Promise<{ done: number; failed: number; seconds: number }> {
  const pool = new Pool(order.origin, { connections: order.connections, pipelining: 1 })
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${order.key}` }
  const startedAt = performance.now()
  const endsAt = startedAt + order.seconds * 1000
  let sent = 0
  let done = 0
  let failed = 0
  const worker = async (): Promise<void> => {
    while (performance.now() < endsAt) {
      const due = order.rate === 0 ? 0 : startedAt + (sent * 1000) / order.rate
      sent++
      const wait = due - performance.now()
      if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait))
      const answer = await pool.request({ path: order.path, method: 'POST', headers, body })
      await answer.body.dump()
      if (answer.statusCode === 200) done++
      else failed++
    }
  }
  await Promise.all(Array.from({ length: order.connections }, worker))
  const seconds = (performance.now() - startedAt) / 1000
  await pool.close()
  return { done, failed, seconds }
}

process.on('message', (order: Order) => {
  const before = process.cpuUsage()
  void run(order).then((result) => {
    const used = process.cpuUsage(before)
    process.send?.({ ...result, cpuMs: (used.user + used.system) / 1000 })
  })
})
process.send?.({ ready: true })
