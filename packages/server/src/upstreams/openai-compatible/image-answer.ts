/** What an upstream answers to a request for images, in OpenAI's form and in OpenRouter's. */
import type { ImageUsage, Render, UpstreamImages } from '../image-upstream.ts'
import { readRender } from '../render.ts'
import { readCost } from './cost.ts'
import type { Dialect } from './dialect.ts'
import { isObject, tokens } from './usage.ts'

type Json = Readonly<Record<string, unknown>>

/** One entry of an answer: an image, the address of one, or nothing that can be shown. */
export type AnswerEntry =
  | { readonly kind: 'render'; readonly render: Render }
  | { readonly kind: 'address'; readonly url: string; readonly revisedPrompt: string | null }
  | { readonly kind: 'nothing' }

/** The entries of an answer, in its order. */
export function readEntries(value: Json): readonly AnswerEntry[] {
  const data = Array.isArray(value['data']) ? value['data'] : []
  return data.map(readEntry)
}

const REVISED_PROMPT_MAX = 32_000

function readEntry(entry: unknown): AnswerEntry {
  if (!isObject(entry)) return { kind: 'nothing' }
  const revised = entry['revised_prompt']
  const revisedPrompt = typeof revised === 'string' ? revised.slice(0, REVISED_PROMPT_MAX) : null
  const { url } = entry
  const text = typeof url === 'string' && url.startsWith('data:') ? url : entry['b64_json']
  const render = readRender(text, entry['media_type'])
  if (render !== null) return { kind: 'render', render: { ...render, revisedPrompt } }
  return typeof url === 'string' && url !== '' ? { kind: 'address', url, revisedPrompt } : { kind: 'nothing' }
}

/** Usage, cost and settings of an answer or of the last event of a stream. */
export type AnswerFacts = Pick<UpstreamImages, 'usage' | 'cost' | 'used'>

/** @param text the JSON text that `value` was parsed from; the cost is read from its digits. */
export function readAnswerFacts(value: Json, text: () => Buffer, dialect: Pick<Dialect, 'reportsCost'>): AnswerFacts {
  const { usage } = value
  const used = {
    size: word(value['size']),
    quality: word(value['quality']),
    background: word(value['background']),
    outputFormat: word(value['output_format']),
  }
  if (!isObject(usage)) return { usage: null, cost: null, used }
  return { usage: readImageUsage(usage), cost: readCost(text, { usage, path: ['usage'] }, dialect), used }
}

function readImageUsage(usage: Json): ImageUsage | null {
  const inputTokens = tokens(usage['input_tokens']) ?? tokens(usage['prompt_tokens'])
  const outputTokens = tokens(usage['output_tokens']) ?? tokens(usage['completion_tokens'])
  if (inputTokens === null || outputTokens === null) return null
  const details = isObject(usage['input_tokens_details']) ? usage['input_tokens_details'] : {}
  return {
    inputTokens,
    outputTokens,
    inputImageTokens: tokens(details['image_tokens']),
  }
}

const WORD_LENGTH_MAX = 32

function word(value: unknown): string | null {
  return typeof value === 'string' && value !== '' && value.length <= WORD_LENGTH_MAX ? value : null
}
