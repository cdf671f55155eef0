/** Quotes of requests that are sent with them. */
import type { Operation } from './fuzz-target.ts'
import type { RawConnection } from './raw-connection.ts'

export interface Quoted {
  readonly id: string
  /** Credits. */
  readonly most: number
}

/** A quote is made of a body alone, and asks no upstream. */
const QUOTE_MS = 60_000

/** Asks what a request may cost, by its very body. @returns null where it has no quote. */
export async function askQuote(
  connection: RawConnection,
  rawKey: string,
  { path }: Operation,
  body: Buffer,
): Promise<Quoted | null> {
  const sent = Buffer.concat([Buffer.from(`{"endpoint":"${path}","body":`), body, Buffer.from('}')])
  const head = [
    'POST /api/v1/quotes HTTP/1.1',
    ...['host: localhost', `authorization: Bearer ${rawKey}`, 'content-type: application/json'],
    `content-length: ${sent.length}`,
  ]
  const request = Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), sent])
  const exchange = await connection.send(request, { toHead: false, timeoutMs: QUOTE_MS })
  if (exchange.kind !== 'answered' || exchange.answer.status !== 200) return null
  const text = exchange.answer.body.toString('utf8')
  const { quote_id: id, credits_at_most: most } = JSON.parse(text) as Record<string, unknown>
  return { id: String(id), most: Number(most) }
}
