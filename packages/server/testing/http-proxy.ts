/** A forward proxy as networks without a way out have one: it forwards `http:` and makes tunnels. */
import { createServer, request, type IncomingMessage, type ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { listenOnLoopback } from './loopback-server.ts'

export interface HttpProxy {
  /** `http://127.0.0.1:…` */
  readonly url: string
  /** What it was asked for: `CONNECT host:port`, or method and address. */
  readonly asked: string[]
  /** `proxy-authorization` of each question; undefined where there was none. */
  readonly logins: (string | undefined)[]
  /** A host and port lead to a port of this machine; every other is refused with 403. */
  readonly places: Map<string, number>
  close(): Promise<void>
}

/** Starts one on a free port. */
export async function startHttpProxy(places: Readonly<Record<string, number>> = {}): Promise<HttpProxy> {
  const sockets = new Set<Socket>()
  const asked: string[] = []
  const logins: (string | undefined)[] = []
  const known = new Map(Object.entries(places))
  const note = (incoming: IncomingMessage): number | undefined => {
    const { method = '', url = '', headers } = incoming
    asked.push(`${method} ${url}`)
    logins.push(headers['proxy-authorization'])
    if (method === 'CONNECT') return known.get(url)
    const { hostname, port } = new URL(url)
    return known.get(`${hostname}:${port || 80}`)
  }
  const server = createServer((incoming, response) => {
    const port = note(incoming)
    if (port === undefined) return void response.writeHead(403).end('no way leads there')
    forward(incoming, response, port)
  })
  server.on('connect', (incoming: IncomingMessage, near: Socket) => {
    const port = note(incoming)
    near.on('error', () => undefined)
    if (port === undefined) return void near.end('HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n')
    const far = connect(port, '127.0.0.1')
    for (const socket of [near, far]) sockets.add(socket)
    far.on('error', () => near.destroy())
    far.once('connect', () => {
      near.write('HTTP/1.1 200 Connection established\r\n\r\n')
      near.pipe(far).pipe(near)
    })
  })
  const { origin, close } = await listenOnLoopback(server)
  return {
    ...{ url: origin, asked, logins, places: known },
    close: () => {
      for (const socket of sockets) socket.destroy()
      return close()
    },
  }
}

function forward(incoming: IncomingMessage, response: ServerResponse, port: number): void {
  const { pathname, search } = new URL(incoming.url ?? '')
  const { 'proxy-authorization': _login, ...headers } = incoming.headers
  const onward = request({ port, host: '127.0.0.1', method: incoming.method, path: pathname + search, headers })
  onward.once('response', (answer) => {
    response.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(response)
  })
  onward.once('error', () => response.destroy())
  incoming.pipe(onward)
}
