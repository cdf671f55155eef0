/** What a client reads from an event stream, without any client's tolerance. */

/** One answer to a streamed request, read to its end. */
export interface ReadStream {
  readonly response: Response
  /** Every byte of the body. */
  readonly text: string
  /** The data of each event, `[DONE]` among them. */
  readonly events: readonly string[]
  /** The events that are JSON, parsed. */
  readonly frames: readonly Frame[]
  /** All text of the first choice. */
  readonly content: string
}

/** A chunk or an error frame. Tests look at what they need. */
export interface Frame {
  readonly id?: string
  readonly object?: string
  readonly created?: number
  readonly model?: string
  readonly choices?: readonly FrameChoice[]
  readonly usage?: Record<string, unknown> | null
  readonly svc?: Record<string, unknown>
  readonly error?: Record<string, unknown>
}

export interface FrameChoice {
  readonly index: number
  readonly delta: Record<string, unknown>
  readonly finish_reason: string | null
}

/** Reads an event stream strictly: each block is one `data: ` line or a comment, and nothing else. */
export function eventsIn(text: string): string[] {
  return text
    .split('\n\n')
    .filter((block) => block !== '' && !block.startsWith(':'))
    .map((block) => {
      if (!block.startsWith('data: ') || block.includes('\n')) throw new Error(`not one data line: ${block}`)
      return block.slice('data: '.length)
    })
}

/** Reads a response to its end. */
export async function readStream(response: Response): Promise<ReadStream> {
  const text = await response.text()
  const events = eventsIn(text)
  const frames = events.filter((data) => data !== '[DONE]').map((data) => JSON.parse(data) as Frame)
  const deltas = frames.flatMap((frame) => frame.choices ?? []).filter((choice) => choice.index === 0)
  const content = deltas.map((choice) => textOf(choice.delta['content'])).join('')
  return { response, text, events, frames, content }
}

/** The finish reasons of all choices, in the order of their arrival. */
export function finishesIn(frames: readonly Frame[]): string[] {
  const choices = frames.flatMap((frame) => frame.choices ?? [])
  return choices.map((choice) => choice.finish_reason).filter((reason) => reason !== null)
}

/** Posts a streamed chat and reads the answer to its end. */
export async function streamOf(
  gateway: { chat(body: object, init?: RequestInit): Promise<Response> },
  body: object = {},
): Promise<ReadStream> {
  return readStream(await gateway.chat({ ...QUESTION, stream: true, ...body }))
}

/** The smallest chat request. */
export const QUESTION = { model: 'svc-gpt', messages: [{ role: 'user', content: 'Say hello.' }] } as const

function textOf(content: unknown): string {
  return typeof content === 'string' ? content : ''
}
