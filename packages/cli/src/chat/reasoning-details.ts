/** Reasoning of an answer as its model reads it again: some models refuse to go on from their calls without. */

type Detail = Readonly<Record<string, unknown>>

/** Members that come in pieces. */
const TEXTS = ['text', 'summary', 'signature'] as const

/** Puts details together that come in pieces: those of one thought follow each other, and have its number and kind. */
export class ReasoningCollector {
  readonly #details: Record<string, unknown>[] = []

  /** @param message a whole message, or a piece of one. */
  take(message: object | undefined): void {
    const pieces: unknown = message === undefined ? null : Reflect.get(message, 'reasoning_details')
    for (const piece of Array.isArray(pieces) ? pieces : []) if (isDetail(piece)) this.#add(piece)
  }

  #add(piece: Detail): void {
    const last = this.#details.at(-1)
    const isMore =
      last?.['type'] === piece['type'] &&
      last?.['index'] === piece['index'] &&
      piece['index'] !== undefined &&
      piece['type'] !== 'reasoning.encrypted'
    if (last === undefined || !isMore) return void this.#details.push({ ...piece })
    for (const [name, value] of Object.entries(piece)) {
      const before = last[name]
      const grows = TEXTS.some((text) => text === name) && typeof before === 'string' && typeof value === 'string'
      last[name] = grows ? before + value : (value ?? before)
    }
  }

  details(): readonly Detail[] {
    return this.#details
  }
}

/** The details of a whole message. */
export function reasoningOf(message: object | undefined): readonly Detail[] {
  const collector = new ReasoningCollector()
  collector.take(message)
  return collector.details()
}

function isDetail(value: unknown): value is Detail {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
