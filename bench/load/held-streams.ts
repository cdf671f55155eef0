import { Client } from 'undici'
import type { HoldOrder } from '../load-order.ts'
import { sendOne, streamBody } from './send-one.ts'
import { LoadTally } from './tally.ts'

const TICK_MS = 20

/** Streams that stay open. */
export class HeldStreams {
  #clients: Client[] = []

  /** Opens streams at a steady pace; resolves when each has sent something or failed. */
  async open({ target, streams, perSecond }: HoldOrder): Promise<LoadTally> {
    const tally = new LoadTally()
    const opened: Promise<void>[] = []
    const body = streamBody(target)
    const startedAt = performance.now()
    while (opened.length < streams) {
      const due = Math.min(streams, Math.ceil(((performance.now() - startedAt + TICK_MS) * perSecond) / 1000))
      while (opened.length < due) {
        const client = new Client(target.origin, { bodyTimeout: 0 })
        this.#clients.push(client)
        const from = performance.now()
        opened.push(
          new Promise((resolve) => {
            const begun = (): void => {
              tally.succeed(performance.now() - from)
              resolve()
            }
            let isFirst = true
            const onData = (): void => {
              if (isFirst) begun()
              isFirst = false
            }
            void sendOne(client, target, body, onData).then(({ status, tail }) => {
              if (isFirst) tally.fail(`${status} ${tail}`)
              resolve()
            })
          }),
        )
      }
      await new Promise((resolve) => setTimeout(resolve, TICK_MS))
    }
    await Promise.all(opened)
    return tally
  }

  async release(): Promise<LoadTally> {
    const clients = this.#clients
    this.#clients = []
    await Promise.all(clients.map((client) => client.destroy()))
    return new LoadTally()
  }
}
