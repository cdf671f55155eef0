/** A server that answers every endpoint with the example that the API's document shows of it. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Endpoint, type EndpointId, endpointList } from '@svc/contract'
import { examples } from '../packages/contract/src/examples.ts'

export interface ExampleServer {
  readonly baseUrl: string
  close(): void
}

/** @param changed what differs from the example, by endpoint. */
export async function startExampleServer(
  changed: Readonly<Partial<Record<EndpointId, object>>> = {},
): Promise<ExampleServer> {
  const server = createServer((request, response) => void answer(request, response, changed))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const { port } = server.address() as AddressInfo
  return { baseUrl: `http://127.0.0.1:${port}/api`, close: () => void server.close() }
}

const routes = endpointList.map((endpoint) => ({ endpoint, matches: patternOf(endpoint) }))

function patternOf({ path }: Pick<Endpoint, 'path'>): RegExp {
  return new RegExp(`^/api${path.replaceAll('.', '\\.').replaceAll(/\{[^}]+\}/g, '[^?]+?')}$`)
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  changed: Readonly<Partial<Record<EndpointId, object>>>,
): Promise<void> {
  const chunks: Buffer[] = []
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
  const [place = ''] = (request.url ?? '').split('?')
  const found = routes.filter(({ endpoint, matches }) => endpoint.method === request.method && matches.test(place))
  // Fixed paths go before those with a parameter.
  const [first] = found.toSorted((one, other) => braces(one.endpoint.path) - braces(other.endpoint.path))
  if (first === undefined) {
    response.writeHead(404).end()
    return
  }
  const example = examples[first.endpoint.id]
  const headers = { 'x-request-id': '0199f0a4-7c1e-7a52-9d1b-3f5a2c7e8b90', 'x-svc-credits-charged': '1.5' }
  if (example.events !== undefined && /"stream":true/.test(Buffer.concat(chunks).toString())) {
    response.writeHead(200, { ...headers, 'content-type': 'text/event-stream' })
    response.end([...example.events.map((event) => `data: ${JSON.stringify(event)}\n\n`), 'data: [DONE]\n\n'].join(''))
    return
  }
  if (example.reply === undefined) response.writeHead(200, { ...headers, 'content-type': 'audio/mpeg' }).end('bytes')
  else {
    const body = JSON.stringify({ ...example.reply, ...changed[first.endpoint.id] })
    response.writeHead(200, { ...headers, 'content-type': 'application/json' }).end(body)
  }
}

function braces(path: string): number {
  return path.split('{').length
}
