/** Turns of a conversation that a team has stored. Pure. Source: decision 0122 (stored responses). */
import type { StoredResponse } from '../../admission/idempotency/stored-responses.ts'
import { ServiceError } from '../../platform/errors/service-error.ts'
import { recordsOf, type StoredTurn } from '../translated-chat.ts'
import { responseIn } from './referred-items.ts'
import type { PlacedItem } from './response-input.ts'

type Fields = Readonly<Record<string, unknown>>

/** What was asked and answered, for the model to go on from. */
export function itemsOfTurn({ input, response }: StoredResponse): readonly PlacedItem[] {
  const items = [...input, ...recordsOf(response['output'])]
  return items.map((item) => ({ item, path: 'previous_response_id' }))
}

/** An answer as it is stored; null for one that failed. @param text that its client gets. */
export function turnOf(text: string, asked: Pick<StoredResponse, 'input' | 'previous'>): StoredTurn | null {
  const response = responseIn(text)
  const { id, status } = response
  return typeof id !== 'string' || status === 'failed' ? null : { id, stored: { ...asked, response } }
}

/** The items of a request, each with an id of its own: clients send what they like. A text is a part of a message, as the official list has it. */
function renderInput(responseId: string, { input }: Pick<StoredResponse, 'input'>): readonly Fields[] {
  return input.map((item, index) => {
    const { content, type = 'message' } = item
    const parts = typeof content === 'string' ? [{ type: partType(item), text: content }] : content
    const id = `item_${responseId.replace(/^resp_/, '')}_${index}`
    return { ...item, id, type, ...(content === undefined ? {} : { content: parts }) }
  })
}

function partType({ role }: Fields): string {
  return role === 'assistant' ? 'output_text' : 'input_text'
}

export interface InputPage {
  readonly limit: number
  readonly order: 'asc' | 'desc'
  /** The last item of the page before. */
  readonly after?: string | undefined
}

/** @throws {ServiceError} `invalid_value` for a page after an item that is not there. */
export function pageOfInput(responseId: string, stored: StoredResponse, { limit, order, after }: InputPage): Fields {
  const items = renderInput(responseId, stored)
  const all = order === 'asc' ? items : items.toReversed()
  const at = after === undefined ? 0 : all.findIndex(({ id }) => id === after) + 1
  if (after !== undefined && at === 0) {
    throw new ServiceError('invalid_value', "Invalid value for 'after': there is no such item.", { param: 'after' })
  }
  const data = all.slice(at, at + limit)
  const ids = { first_id: data[0]?.['id'] ?? null, last_id: data.at(-1)?.['id'] ?? null }
  return { object: 'list', data, ...ids, has_more: at + limit < all.length }
}
