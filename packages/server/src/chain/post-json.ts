import { type Dispatcher, request } from 'undici'

/** What was asked for did not come. The message names no address: those may hold keys. */
export class PostError extends Error {
  /** Whether the same may succeed a moment later. */
  readonly mayRepeat: boolean

  constructor(message: string, mayRepeat: boolean) {
    super(message)
    this.name = 'PostError'
    this.mayRepeat = mayRepeat
  }
}

export interface PostOptions {
  /** Time for all of it: connection, request and answer. */
  readonly timeoutMs: number
  readonly dispatcher: Dispatcher
  /** Ends it at once. */
  readonly signal: AbortSignal
}

/** Bytes that one answer can have. A trace of the largest transactions has some millions. Source: own choice. */
const ANSWER_BYTES_MAX = 16 * 1024 * 1024

/**
 * Posts JSON and reads JSON, within a time and a size.
 *
 * @throws {PostError} when there is no such answer.
 */
export async function postJson(url: string, body: unknown, options: PostOptions): Promise<unknown> {
  const { timeoutMs, dispatcher, signal } = options
  if (signal.aborted) throw new PostError('it was stopped', false)
  const limit = new AbortController()
  const end = (): void => limit.abort()
  signal.addEventListener('abort', end, { once: true })
  const timeout = setTimeout(end, timeoutMs)
  try {
    const response = await request(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify(body),
      signal: limit.signal,
      ...{ headersTimeout: timeoutMs, bodyTimeout: timeoutMs },
      dispatcher,
    })
    const { statusCode } = response
    if (statusCode < 200 || statusCode > 299) {
      await response.body.dump({ limit: 65_536 })
      const isPassing = statusCode === 429 || statusCode >= 500
      throw new PostError(`HTTP status ${statusCode}`, isPassing)
    }
    return parsed(await collect(response.body))
  } catch (error) {
    if (error instanceof PostError) throw error
    if (signal.aborted) throw new PostError('it was stopped', false)
    if (limit.signal.aborted) throw new PostError('it took too long', false)
    throw new PostError(error instanceof Error ? error.name : 'unknown error', true)
  } finally {
    clearTimeout(timeout)
    signal.removeEventListener('abort', end)
  }
}

async function collect(body: AsyncIterable<Buffer>): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > ANSWER_BYTES_MAX) throw new PostError(`an answer of more than ${ANSWER_BYTES_MAX} bytes`, false)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8')) as unknown
  } catch {
    throw new PostError('an answer that is no JSON', false)
  }
}
