import type { Server } from 'node:http'

/** Connections that may wait to be accepted. Source: Node, `server.listen`. */
const BACKLOG_USUAL = 511

export interface LoopbackServer {
  /** Scheme, host and port. */
  readonly origin: string
  readonly port: number
  /** Ends it with every connection that it has. */
  readonly close: () => Promise<void>
}

/** Has a server listen on a free port of this machine alone. */
export async function listenOnLoopback(server: Server, backlog = BACKLOG_USUAL): Promise<LoopbackServer> {
  const port = await new Promise<number>((resolve) => {
    server.listen({ port: 0, host: '127.0.0.1', backlog }, () => {
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : 0)
    })
  })
  return {
    origin: `http://127.0.0.1:${port}`,
    port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
