/** The baseline: `node:http` and undici, parsing and writing again the same JSON, and nothing else. Prints its port. */
import { createServer } from 'node:http'
import { Agent } from 'undici'

const upstream = process.argv[2] ?? ''
const agent = new Agent({ pipelining: 1 })

const server = createServer({ keepAliveTimeout: 120_000 }, (request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const body = JSON.stringify(JSON.parse(Buffer.concat(chunks).toString('utf8')))
    const answer: Buffer[] = []
    agent.dispatch(
      {
        origin: upstream,
        path: '/v1/chat/completions',
        method: 'POST',
        headers: { 'content-type': 'application/json', accept: 'application/json' },
        body,
      },
      {
        onRequestStart: () => undefined,
        onResponseStart: () => undefined,
        onResponseData: (_controller, chunk) => {
          answer.push(chunk)
        },
        onResponseEnd: () => {
          const text = JSON.stringify(JSON.parse(Buffer.concat(answer).toString('utf8')))
          response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
          response.end(text)
        },
        onResponseError: () => response.writeHead(502).end(),
      },
    )
  })
})
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  process.send?.({ port: typeof address === 'object' && address !== null ? address.port : 0 })
})
process.on('message', () => process.send?.({ cpu: process.cpuUsage() }))
