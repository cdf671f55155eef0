/** A network that can be broken: a TCP proxy before one server, for tests of what a lost connection does. */
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

export interface TcpProxy {
  /** An address of the server behind it, such as `postgres://…`, that leads through the proxy. */
  through(address: string): string
  /** From now on new connections lead to the server of another address; those that are open stay where they are. */
  leadTo(address: string): void
  /** Connections that are open. */
  readonly open: number
  /** Resets every open connection. New ones are let through. */
  cut(): void
  /** Cuts every so many milliseconds, until the function that it returns is called. */
  cutEvery(ms: number): () => void
  /** Each piece of data waits so many milliseconds on its way, in either direction; 0 ends that. */
  delay(ms: number): void
  /** Nothing gets through any more and nothing is closed, as where packets are dropped. What was sent waits. */
  stall(): void
  /** Leaves the open connections without a word for ever, as where a machine is gone. New ones are let through. */
  strand(): void
  /** Resets every open connection and refuses new ones. */
  refuse(): Promise<void>
  /** Lets everything through again. */
  heal(): Promise<void>
  close(): Promise<void>
}

interface Pair {
  readonly sockets: readonly [Socket, Socket]
  isStranded: boolean
}

/** Starts a proxy on a free port before the server of an address. */
export async function startTcpProxy(address: string): Promise<TcpProxy> {
  let target = new URL(address)
  const pairs = new Set<Pair>()
  let delayMs = 0
  let isStalled = false

  const carry = (pair: Pair, from: Socket, to: Socket): void => {
    from.on('data', (bytes) => {
      if (delayMs === 0) to.write(bytes)
      else setTimeout(() => to.write(bytes), delayMs)
    })
    from.on('end', () => {
      if (!pair.isStranded) to.end()
    })
    from.on('error', () => undefined)
    from.on('close', () => {
      if (pair.isStranded) return
      pairs.delete(pair)
      to.destroy()
    })
  }
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname)
    const pair: Pair = { sockets: [near, far], isStranded: false }
    pairs.add(pair)
    carry(pair, near, far)
    carry(pair, far, near)
    if (isStalled) for (const socket of pair.sockets) socket.pause()
  })
  const listen = (port: number): Promise<void> =>
    new Promise((resolve, reject) => {
      server.once('error', reject)
      server.listen(port, '127.0.0.1', () => {
        server.off('error', reject)
        resolve()
      })
    })
  const cut = (): void => {
    for (const { sockets } of pairs) for (const socket of sockets) socket.resetAndDestroy()
  }
  const refuse = async (): Promise<void> => {
    const closed = new Promise((resolve) => server.close(resolve))
    cut()
    await closed
  }

  await listen(0)
  const { port } = server.address() as AddressInfo
  return {
    through(original) {
      const url = new URL(original)
      url.host = `127.0.0.1:${port}`
      return url.href
    },
    leadTo(other) {
      target = new URL(other)
    },
    get open() {
      return pairs.size
    },
    cut,
    cutEvery(ms) {
      const timer = setInterval(cut, ms)
      return () => clearInterval(timer)
    },
    delay(ms) {
      delayMs = ms
    },
    stall() {
      isStalled = true
      for (const { sockets } of pairs) for (const socket of sockets) socket.pause()
    },
    strand() {
      for (const pair of pairs) {
        pair.isStranded = true
        for (const socket of pair.sockets) socket.pause()
      }
    },
    refuse,
    async heal() {
      isStalled = false
      delayMs = 0
      for (const pair of pairs) if (!pair.isStranded) for (const socket of pair.sockets) socket.resume()
      if (!server.listening) await listen(port)
    },
    async close() {
      if (server.listening) await refuse()
      else cut()
    },
  }
}
