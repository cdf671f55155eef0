/** What clients know of a chunk. Pure. */
import type { ChunkFacts } from '../chat-upstream.ts'
import { CallNumbers } from './open-calls.ts'
import { extrasOf } from './answer-extras.ts'
import { cleanSpeech, measureSpeech, readNumber, speechOf } from './choices.ts'
import { finishWithCalls, readFinishReason, stopMember } from './finish-reason.ts'
import { readLogprobs } from './logprobs.ts'
import { isObject } from './usage.ts'

type Json = Record<string, unknown>

export interface CleanChoice {
  readonly index: number
  readonly delta: Json
  readonly finish_reason: string | null
  /** The stop sequence of the request that ended it; absent where that is not known. */
  readonly stop_reason?: string
}

export interface CleanChunk {
  readonly chunk: Json & { readonly choices: readonly CleanChoice[] }
  readonly facts: ChunkFacts
}

function isEmpty(value: unknown): boolean {
  return value === null || value === '' || (Array.isArray(value) && value.length === 0)
}

/** Whether a delta says nothing beside who speaks. */
export function isBare(delta: Json): boolean {
  return Object.entries(delta).every(([key, value]) => key === 'role' || isEmpty(value))
}

const CHUNK_KEYS = ['service_tier', 'system_fingerprint'] as const

/** Keeps what clients know of a chunk; null when it has no choices. @param stops sequences of the request. */
export function cleanChunk(value: Json, stops: readonly string[] = []): CleanChunk | null {
  const choices = Array.isArray(value['choices']) ? value['choices'].filter(isObject) : []
  if (choices.length === 0) return null
  let outputBytes = 0
  let hasContent = false
  let isReasoning = false
  let hasCalls = false
  let audioBytes = 0
  let images = 0
  let finishReason: string | null = null
  const cleaned = choices.map((choice, position) => {
    const delta = speechOf(choice, 'delta', 'message')
    const measure = measureSpeech(delta)
    outputBytes += measure.outputBytes
    hasContent ||= measure.hasContent
    isReasoning ||= measure.isReasoning
    hasCalls ||= measure.hasCalls
    audioBytes += measure.audioBytes
    images += measure.images
    const ended = readFinishReason(choice)
    finishReason = ended ?? finishReason
    return {
      index: readNumber(choice['index']) ?? position,
      delta: cleanSpeech(delta),
      logprobs: readLogprobs(choice['logprobs']),
      finish_reason: ended,
      ...stopMember(choice, stops),
    }
  })
  const chunk: CleanChunk['chunk'] = { choices: cleaned, ...extrasOf(value) }
  for (const key of CHUNK_KEYS) if (value[key] !== undefined) chunk[key] = value[key]
  return { chunk, facts: { outputBytes, hasContent, isReasoning, hasCalls, finishReason, audioBytes, images } }
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
   * first chunk, which call of a tool each piece belongs to, and that a choice which calls tools ends to have them
   * called. What is left out of it counts no more.
   */
  complete({ chunk, facts }: CleanChunk): CleanChunk {
    const before = this.#droppedBytes
    const choices = chunk.choices.map((choice) => this.#complete(choice))
    const finishReason = facts.finishReason === null ? null : lastReason(choices)
    const outputBytes = facts.outputBytes - (this.#droppedBytes - before)
    const isSame = finishReason === facts.finishReason && outputBytes === facts.outputBytes
    return {
      chunk: { ...chunk, choices },
      facts: isSame ? facts : { ...facts, finishReason, outputBytes },
    }
  }

  /** What clients do not get: names of calls that come again. */
  get #droppedBytes(): number {
    let bytes = 0
    for (const calls of this.#calls.values()) bytes += calls.droppedBytes
    return bytes
  }

  #complete(choice: CleanChoice): CleanChoice {
    const { index, delta, finish_reason: reason } = choice
    const open = this.#calls.get(index)
    const numbers = open ?? new CallNumbers()
    if (open === undefined) this.#calls.set(index, numbers)
    const role = open !== undefined || delta['role'] ? {} : { role: 'assistant' }
    const { tool_calls: calls, ...spoken } = delta
    const numbered = Array.isArray(calls) ? numbers.number(calls) : []
    const ended = finishWithCalls(reason, numbers.count > 0)
    const pieces = ended === 'tool_calls' ? [...numbered, ...numbers.ending()] : numbered
    const said = { ...spoken, ...role, ...(pieces.length > 0 ? { tool_calls: pieces } : {}) }
    return { ...choice, delta: said, finish_reason: ended }
  }
}

function lastReason(choices: readonly CleanChoice[]): string | null {
  return choices.reduce<string | null>((last, { finish_reason: reason }) => reason ?? last, null)
}

/** Members of a chunk as JSON text, without the braces around them. */
export function membersOf({ chunk }: CleanChunk): string {
  return JSON.stringify(chunk).slice(1, -1)
}
