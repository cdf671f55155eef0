import type { ServerResponse } from 'node:http'

/** What a reply does next: write after a wait, break the connection, or stay silent for ever. */
export type Step =
  | {
      readonly kind: 'write'
      readonly text: string | Buffer
      readonly waitMs: number
      /** Output tokens that the client has been sent with this write, all together. */
      readonly tokens: number
    }
  | { readonly kind: 'cut' }
  | { readonly kind: 'hang' }

/** How a reply ended. */
export interface Played {
  readonly tokens: number
  /** The client went before the end. */
  readonly isCancelled: boolean
}

/** Writes without a wait in one turn, so that a fast reply does not keep the thread to itself. */
const BURST = 32

/**
 * Plays a reply: waits, writes, pauses while the client does not read, and stops when it goes.
 *
 * @param writesAtOnce how many writes without a wait share one turn of the event loop.
 * @param onEnd called once, before the last byte of a whole reply is sent.
 */
export function playSteps(
  response: ServerResponse,
  steps: Iterator<Step>,
  onEnd: (played: Played) => void,
  writesAtOnce: number = BURST,
): void {
  let tokens = 0
  let isOver = false
  let timer: NodeJS.Timeout | undefined
  const end = (isCancelled: boolean): void => {
    if (isOver) return
    isOver = true
    clearTimeout(timer)
    onEnd({ tokens, isCancelled })
  }
  const write = (step: Extract<Step, { kind: 'write' }>): boolean => {
    tokens = step.tokens
    return response.write(step.text)
  }
  const advance = (): void => {
    for (let written = 0; !isOver && written < writesAtOnce; written++) {
      const next = steps.next()
      if (next.done === true) {
        end(false)
        response.end()
        return
      }
      const step = next.value
      if (step.kind === 'hang') return
      if (step.kind === 'cut') return cutSoon(response)
      if (step.waitMs > 0) {
        timer = setTimeout(() => (write(step) ? advance() : response.once('drain', advance)), step.waitMs)
        return
      }
      if (!write(step)) {
        response.once('drain', advance)
        return
      }
    }
    if (!isOver) setImmediate(advance)
  }
  response.once('close', () => end(true))
  advance()
}

/** Breaks the connection once what was written has left. */
function cutSoon(response: ServerResponse): void {
  response.flushHeaders()
  const cut = (): void => {
    if (response.writableLength > 0) response.once('drain', cut)
    else response.destroy()
  }
  setImmediate(cut)
}
