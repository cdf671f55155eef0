/**
 * Usage as upstreams report it, made into ours: cached tokens are a part of the prompt's, reasoning tokens of the
 * completion's.
 */
import type { IncomingHttpHeaders } from 'node:http'
import type { AttoUsd, ChatUsage } from '../../pricing/price.ts'
import type { ReportedUsage } from '../chat-upstream.ts'
import { type FoundUsage, readCost } from './cost.ts'
import type { Dialect, GenerationIdPlace } from './dialect.ts'

type Json = Readonly<Record<string, unknown>>

export const NO_USAGE: ReportedUsage = { usage: null, cost: null, wire: null }

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The model that answered, in the upstream's words; null where it does not say, or not in a word. */
export function readModel(value: Json): string | null {
  const { model } = value
  return typeof model === 'string' && model !== '' && model.length <= 200 ? model : null
}

/** Longest id of a generation that is kept. Source: own choice. */
const ID_LENGTH_MAX = 200

/** The generation's id in the headers of an answer; null where there is none. @param name null: the upstream gives none. */
export function idInHeaders(name: string | null, headers: IncomingHttpHeaders): string | null {
  const value = name === null ? undefined : headers[name]
  return typeof value === 'string' && value.length <= ID_LENGTH_MAX ? value : null
}

/** The generation's id in a body, where the upstream puts it there. */
export function readGenerationId(value: Json, place: GenerationIdPlace | null): string | null {
  const { id } = value
  return place !== null && typeof id === 'string' && id.length <= ID_LENGTH_MAX && place.bodyForm.test(id) ? id : null
}

/**
 * More tokens than any request can have: a count above is a number that ran over, such as −1 in 32 bits, and would
 * take a whole balance. Source: own choice, ten times the longest context that is known.
 */
const TOKENS_MAX = 100_000_000

/** A token count that can be believed: whole, not negative, no more than any request can have; null otherwise. */
export function tokens(value: unknown): number | null {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= TOKENS_MAX ? value : null
}

function firstTokens(...values: unknown[]): number {
  for (const value of values) {
    const count = tokens(value)
    if (count !== null) return count
  }
  return 0
}

type PromptTokens = Pick<
  ChatUsage,
  'promptTokens' | 'cachedTokens' | 'cacheWriteTokens' | 'cacheWriteLongTokens' | 'audioInputTokens'
>

/**
 * Reads what the prompt had, under the names that upstreams have for its parts. Where the parts under Anthropic's names
 * are more than the whole, they are counted beside it, as Anthropic itself does.
 */
function readPrompt(usage: Json, promptTokens: number): PromptTokens {
  const details = isObject(usage['prompt_tokens_details']) ? usage['prompt_tokens_details'] : {}
  const [read, created] = [usage['cache_read_input_tokens'], usage['cache_creation_input_tokens']]
  const beside = firstTokens(read) + firstTokens(created)
  const whole = beside > promptTokens ? promptTokens + beside : promptTokens
  const cached = firstTokens(details['cached_tokens'], read, usage['prompt_cache_hit_tokens'], usage['cached_tokens'])
  const written = firstTokens(details['cache_write_tokens'], details['cache_creation_tokens'], created)
  const creation = isObject(usage['cache_creation']) ? usage['cache_creation'] : {}
  const long = firstTokens(details['cache_write_1h_tokens'], creation['ephemeral_1h_input_tokens'])
  const audio = firstTokens(details['audio_tokens'])
  const cachedTokens = Math.min(cached, whole)
  return {
    promptTokens: whole,
    cachedTokens,
    cacheWriteTokens: Math.min(written, whole - cachedTokens),
    ...(long > 0 ? { cacheWriteLongTokens: long } : {}),
    ...(audio > 0 ? { audioInputTokens: audio } : {}),
  }
}

/** What a usage object counts. */
type Counts = Pick<ReportedUsage, 'usage' | 'lacks'>

/**
 * Reads token counts. Some upstreams leave reasoning out of the completion's count. Their total tells, since it is then
 * the sum of three; so does a part that is larger than the whole. A total also tells a count that is missing. A usage
 * object with neither count is none, and so is one of zeros, which some servers send where they did not count: no
 * prompt has no tokens.
 */
function readCounts(usage: Json): Counts {
  const total = tokens(usage['total_tokens'])
  const prompt = tokens(usage['prompt_tokens'])
  const completion = tokens(usage['completion_tokens']) ?? (prompt === null ? null : restOf(total, prompt))
  if ((prompt ?? 0) + (completion ?? 0) === 0) return { usage: null }
  const lacks = prompt === null ? 'prompt' : completion === null ? 'output' : undefined
  return { usage: readTokens(usage, prompt ?? 0, completion ?? 0), ...(lacks === undefined ? {} : { lacks }) }
}

function restOf(total: number | null, part: number): number | null {
  return total === null || total <= part ? null : total - part
}

function readTokens(usage: Json, promptTokens: number, completion: number): ChatUsage {
  const completionDetails = isObject(usage['completion_tokens_details']) ? usage['completion_tokens_details'] : {}
  const reasoningTokens = firstTokens(completionDetails['reasoning_tokens'], usage['reasoning_tokens'])
  const audio = firstTokens(completionDetails['audio_tokens'])
  const images = firstTokens(completionDetails['image_tokens'])
  const total = tokens(usage['total_tokens'])
  const isSum = reasoningTokens > 0 && total === promptTokens + completion + reasoningTokens
  const isApart = isSum || reasoningTokens > completion
  return {
    ...readPrompt(usage, promptTokens),
    completionTokens: isApart ? completion + reasoningTokens : completion,
    reasoningTokens,
    ...(audio > 0 ? { audioOutputTokens: audio } : {}),
    ...(images > 0 ? { imageOutputTokens: images } : {}),
  }
}

/**
 * The usage object in the names that clients know, whatever the upstream calls its parts; its accounting of its own
 * stays here.
 */
function wireUsage(usage: ChatUsage, reported: Json): Json {
  const wire: Record<string, unknown> = {
    prompt_tokens: usage.promptTokens,
    completion_tokens: usage.completionTokens,
    total_tokens: usage.promptTokens + usage.completionTokens,
  }
  const prompt = wireDetails(reported['prompt_tokens_details'], 'cached_tokens', usage.cachedTokens)
  const completion = wireDetails(reported['completion_tokens_details'], 'reasoning_tokens', usage.reasoningTokens)
  if (prompt !== null) wire['prompt_tokens_details'] = prompt
  if (completion !== null) wire['completion_tokens_details'] = completion
  return wire
}

/**
 * Details of a count, with the one that we know. What is no count of tokens is left out, as clients take it for one.
 *
 * @returns null where the upstream tells none, and ours is 0.
 */
function wireDetails(reported: unknown, name: string, ours: number): Json | null {
  if (!isObject(reported)) return ours > 0 ? { [name]: ours } : null
  const details: Record<string, unknown> = {}
  for (const key of Object.keys(reported)) {
    if (tokens(reported[key]) !== null && key !== '__proto__') details[key] = reported[key]
  }
  // Strict clients read it wherever there are details.
  details[name] = ours
  return details
}

/** The usage object of an answer or chunk, wherever the upstream puts it; null when there is none. */
export function findUsage(value: Json): FoundUsage | null {
  if (isObject(value['usage'])) return { usage: value['usage'], path: ['usage'] }
  const vendor = value['x_groq']
  if (isObject(vendor) && isObject(vendor['usage'])) return { usage: vendor['usage'], path: ['x_groq', 'usage'] }
  return usageOfChoice(value)
}

/** Usage within the only choice. Source: Moonshot's API reference, the last chunk of a stream. */
function usageOfChoice({ choices }: Json): FoundUsage | null {
  const [choice, ...others]: readonly unknown[] = Array.isArray(choices) ? choices : []
  if (others.length > 0 || !isObject(choice) || !isObject(choice['usage'])) return null
  return { usage: choice['usage'], path: ['choices', '0', 'usage'] }
}

/**
 * Reads usage and cost from an answer or chunk.
 *
 * @param source the JSON text that `value` was parsed from; the cost is read from its digits.
 * @returns null when the value carries no usage at all.
 */
export function readUsage(
  value: Json,
  source: () => Buffer,
  dialect: Pick<Dialect, 'reportsCost'>,
): ReportedUsage | null {
  const found = findUsage(value)
  if (found === null) return null
  const counts = readCounts(found.usage)
  const { usage, lacks } = counts
  const cost = readCost(source, found, dialect)
  if (usage === null && cost === null) return null
  return { ...counts, cost, wire: usage === null || lacks !== undefined ? null : wireUsage(usage, found.usage) }
}

/**
 * What two reports of one answer say together. Each is the whole until then, so of each count the later one counts. A
 * side that the later one does not count stays as it was, and so does a prompt or a cost that it gives as nothing.
 */
export function mergeReports(before: ReportedUsage, later: ReportedUsage): ReportedUsage {
  const cost = later.cost === null || later.cost === 0n ? (before.cost ?? later.cost) : later.cost
  if (later.usage === null) return { ...before, cost }
  if (before.usage === null) return { ...later, cost }
  const isPromptKept = before.lacks !== 'prompt' && (later.lacks === 'prompt' || later.usage.promptTokens === 0)
  const isOutputKept = before.lacks !== 'output' && later.lacks === 'output'
  if (!isPromptKept && !isOutputKept) return { ...later, cost }
  const usage = {
    ...(isPromptKept ? { ...later.usage, ...promptOf(before.usage) } : later.usage),
    ...(isOutputKept ? outputOf(before.usage) : {}),
  }
  const lacks = isOutputKept ? before.lacks : later.lacks === 'prompt' ? undefined : later.lacks
  return { usage, lacks, cost, wire: null }
}

function promptOf(usage: ChatUsage): Partial<ChatUsage> {
  const { promptTokens, cachedTokens, cacheWriteTokens, cacheWriteLongTokens = 0, audioInputTokens = 0 } = usage
  return { promptTokens, cachedTokens, cacheWriteTokens, cacheWriteLongTokens, audioInputTokens }
}

function outputOf(usage: ChatUsage): Partial<ChatUsage> {
  const { completionTokens, reasoningTokens, audioOutputTokens = 0, imageOutputTokens = 0 } = usage
  return { completionTokens, reasoningTokens, audioOutputTokens, imageOutputTokens }
}

/** What a failed answer says that it cost; null where it does not. @param source the JSON text of `value`. */
export function costOfFailure(
  value: unknown,
  source: () => Buffer,
  dialect: Pick<Dialect, 'reportsCost'>,
): AttoUsd | null {
  if (!isObject(value) || !isObject(value['usage'])) return null
  return readCost(source, { usage: value['usage'], path: ['usage'] }, dialect)
}
