/** An upstream that is never the bottleneck: one fixed answer, reported usage, nothing else. Prints its port. */
import { createServer } from 'node:http'

const answer = JSON.stringify({
  id: 'gen-1',
  object: 'chat.completion',
  created: 1_795_813_200,
  model: 'openai/gpt-6-astra',
  choices: [
    {
      index: 0,
      finish_reason: 'stop',
      logprobs: null,
      message: {
        role: 'assistant',
        content: 'The quick brown fox jumps over the lazy dog. '.repeat(12),
        refusal: null,
      },
    },
  ],
  usage: {
    prompt_tokens: 42,
    completion_tokens: 120,
    total_tokens: 162,
    prompt_tokens_details: { cached_tokens: 0 },
    completion_tokens_details: { reasoning_tokens: 0 },
  },
})
const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(answer) }

const server = createServer({ keepAliveTimeout: 120_000 }, (request, response) => {
  request.resume()
  if (request.url?.endsWith('/models') === true) {
    response.writeHead(404).end()
    return
  }
  request.on('end', () => response.writeHead(200, headers).end(answer))
})
server.listen(Number(process.argv[2] ?? 0), '127.0.0.1', () => {
  const address = server.address()
  process.send?.({ port: typeof address === 'object' && address !== null ? address.port : 0 })
})
