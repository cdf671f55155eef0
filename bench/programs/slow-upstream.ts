/** An upstream that works on so many requests at a time, each for so long; the others wait in it, in their order. */
import { createServer, type ServerResponse } from 'node:http'
import { type Listening, readSettings } from '../program-settings.ts'
import type { SlowUpstreamSettings } from '../overload-order.ts'

const { atOnce, tookMs } = readSettings<SlowUpstreamSettings>()

const body = JSON.stringify({
  ...{ id: 'gen-1', object: 'chat.completion', created: 1_795_813_200, model: 'openai/gpt-6-astra' },
  choices: [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'The quick brown fox.' } }],
  usage: { prompt_tokens: 42, completion_tokens: 6, total_tokens: 48, cost: 0.000021 },
})
const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }

const waiting: ServerResponse[] = []
let running = 0

function next(): void {
  while (running < atOnce) {
    const answer = waiting.shift()
    if (answer === undefined) return
    running++
    setTimeout(() => {
      running--
      answer.writeHead(200, headers).end(body)
      next()
    }, tookMs)
  }
}

const server = createServer({ keepAliveTimeout: 120_000 }, (request, answer) => {
  request.resume()
  if (request.method !== 'POST') return void answer.writeHead(404).end()
  waiting.push(answer)
  next()
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  const listening: Listening = { port: typeof address === 'object' && address !== null ? address.port : 0 }
  process.send?.(listening)
})
process.on('disconnect', () => process.exit())
