/**
 * Where a thought stands in its answer. A chat lists reasoning, text and calls apart; Anthropic's models think between
 * them, too, and their API refuses a history in which a thought has moved. So a detail of reasoning that is not before
 * everything says what it is behind.
 */
import { isObject } from './openai-compatible/usage.ts'

/** The member of a detail of reasoning. */
const BEHIND = 'svc_behind'

/** What comes before a thought. */
export interface ThoughtPlace {
  /** Characters of the answer's text, in UTF-16 units. */
  readonly text: number
  readonly calls: number
}

function countIn(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : 0
}

/** The place as a member of a detail; empty for a thought that is before everything. */
export function placeMember({ text, calls }: ThoughtPlace): Readonly<Record<string, unknown>> {
  return text === 0 && calls === 0 ? {} : { [BEHIND]: { text, calls } }
}

/** The place of a detail that a client gives back. */
export function placeOf(detail: Readonly<Record<string, unknown>>): ThoughtPlace {
  const place = detail[BEHIND]
  return isObject(place) ? { text: countIn(place['text']), calls: countIn(place['calls']) } : { text: 0, calls: 0 }
}

/** Whether a thought is before everything else. */
export function isFirst({ text, calls }: ThoughtPlace): boolean {
  return text === 0 && calls === 0
}

/** A text, a call or the like of an answer. */
export interface SaidPart<Item> {
  readonly item: Item
  /** Null for what is no text. */
  readonly text: string | null
  readonly isCall: boolean
}

export interface PlacedThought<Item> {
  readonly item: Item
  readonly place: ThoughtPlace
}

/**
 * Puts thoughts among what is said, in their own order.
 *
 * @param said texts before calls.
 * @param cut makes the same item of a part of its text.
 */
export function placeThoughts<Item>(
  thoughts: readonly PlacedThought<Item>[],
  said: readonly SaidPart<Item>[],
  cut: (item: Item, text: string) => Item,
): readonly Item[] {
  const placed: Item[] = []
  const past = { text: 0, calls: 0 }
  let next = 0
  let rest = said[0]
  const pass = (): void => {
    if (rest === undefined) return
    placed.push(rest.item)
    past.text += rest.text?.length ?? 0
    past.calls += rest.isCall ? 1 : 0
    next += 1
    rest = said[next]
  }
  for (const { item, place } of thoughts) {
    while (rest !== undefined) {
      const left = place.text - past.text
      if (place.calls > past.calls) pass()
      else if (rest.isCall || left <= 0) break
      else if (rest.text === null || rest.text.length <= left) pass()
      else {
        const { text } = rest
        placed.push(cut(rest.item, text.slice(0, left)))
        past.text += left
        rest = { ...rest, item: cut(rest.item, text.slice(left)), text: text.slice(left) }
      }
    }
    placed.push(item)
  }
  while (rest !== undefined) pass()
  return placed
}
