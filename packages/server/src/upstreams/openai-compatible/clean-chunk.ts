/** What clients know of a chunk. Pure. */
import type { ChunkFacts } from '../chat-upstream.ts'
import { isRefusalWord } from '../find-refusal.ts'
import { CallNumbers } from './open-calls.ts'
import { cleanSpeech, measureSpeech, readNumber } from './choices.ts'
import { isObject } from './usage.ts'

type Json = Record<string, unknown>

export interface CleanChoice {
  readonly index: number
  readonly delta: Json
  readonly finish_reason: unknown
}

export interface CleanChunk {
  readonly chunk: Json & { readonly choices: readonly CleanChoice[] }
  readonly facts: ChunkFacts
}

/**
 * Why a choice has ended; null where it has not. Some servers write an empty word until then. A vendor's own word for
 * content that was refused becomes OpenAI's.
 */
export function readFinishReason(choice: Readonly<Record<string, unknown>>): string | null {
  const { finish_reason: reason } = choice
  if (typeof reason !== 'string' || reason === '') return null
  return isRefusalWord(reason) ? 'content_filter' : reason
}

const CHUNK_KEYS = ['service_tier', 'system_fingerprint'] as const

/** Keeps what clients know of a chunk; null when it has no choices. */
export function cleanChunk(value: Json): CleanChunk | null {
  const choices = Array.isArray(value['choices']) ? value['choices'].filter(isObject) : []
  if (choices.length === 0) return null
  let outputBytes = 0
  let hasContent = false
  let isReasoning = false
  let hasCalls = false
  let finishReason: string | null = null
  const cleaned = choices.map((choice, position) => {
    const delta = isObject(choice['delta']) ? choice['delta'] : isObject(choice['message']) ? choice['message'] : {}
    const measure = measureSpeech(delta)
    outputBytes += measure.outputBytes
    hasContent ||= measure.hasContent
    isReasoning ||= measure.isReasoning
    hasCalls ||= measure.hasCalls
    const ended = readFinishReason(choice)
    finishReason = ended ?? finishReason
    return {
      index: readNumber(choice['index']) ?? position,
      delta: cleanSpeech(delta),
      logprobs: choice['logprobs'] ?? null,
      finish_reason: ended,
    }
  })
  const chunk: CleanChunk['chunk'] = { choices: cleaned }
  for (const key of CHUNK_KEYS) if (value[key] !== undefined) chunk[key] = value[key]
  return { chunk, facts: { outputBytes, hasContent, isReasoning, hasCalls, finishReason } }
}

/** What clients have got of the choices of one stream: they put its chunks together by it. */
export class StreamedChoices {
  readonly #calls = new Map<number, CallNumbers>()

  has(index: number): boolean {
    return this.#calls.has(index)
  }

  get size(): number {
    return this.#calls.size
  }

  /**
   * The same chunk with what clients cannot do without and some upstreams never say: whose words a choice has, in its
   * first chunk, and which call of a tool each piece belongs to.
   */
  complete({ chunk, facts }: CleanChunk): CleanChunk {
    return { chunk: { ...chunk, choices: chunk.choices.map((choice) => this.#complete(choice)) }, facts }
  }

  #complete(choice: CleanChoice): CleanChoice {
    const { index, delta } = choice
    const open = this.#calls.get(index)
    const numbers = open ?? new CallNumbers()
    if (open === undefined) this.#calls.set(index, numbers)
    const role = open !== undefined || delta['role'] ? {} : { role: 'assistant' }
    const { tool_calls: calls } = delta
    const numbered = Array.isArray(calls) ? { tool_calls: numbers.number(calls) } : {}
    return { ...choice, delta: { ...delta, ...role, ...numbered } }
  }
}

/** Members of a chunk as JSON text, without the braces around them. */
export function membersOf({ chunk }: CleanChunk): string {
  return JSON.stringify(chunk).slice(1, -1)
}
