/** The adapter for upstreams that answer `POST /moderations`. Sources: OpenAI's and Mistral's API references. */
import { spliceMembers } from '../../platform/json/json-body.ts'
import type { CollectedResponse } from '../http-exchange.ts'
import type {
  ModerationResult,
  ModerationUpstream,
  UpstreamModeration,
  UpstreamModerationRequest,
} from '../moderation-upstream.ts'
import { upstreamFailure } from '../upstream-failure.ts'
import { readUtf8Json } from './audio-upstream.ts'
import { findError } from './errors.ts'
import { generationIdOf, type PromptDeps, promptFailure, readPromptUsage, sendPrompt } from './prompt-exchange.ts'
import { isObject, readModel } from './usage.ts'

/** Longest answer that is kept in memory. Source: own choice; a result has some kilobytes. */
const ANSWER_BYTES_MAX = 16 * 1024 * 1024
/** Most categories of one result. Source: own choice; a dozen are known. */
const CATEGORIES_MAX = 256

/** The entries of an object whose values are of a type; null where others are among them. */
function entriesOf<Value>(
  object: unknown,
  isValue: (value: unknown) => value is Value,
): Readonly<Record<string, Value>> | null {
  if (!isObject(object)) return null
  const entries = Object.entries(object)
  const right = entries.filter((entry): entry is [string, Value] => isValue(entry[1]))
  return right.length === entries.length && entries.length <= CATEGORIES_MAX ? Object.fromEntries(right) : null
}

const isFinite = (value: unknown): value is number => Number.isFinite(value)

/** Null for what is no result. Without `flagged`, as Mistral has it, a text is flagged where a category applies. */
function readResult(value: unknown): ModerationResult | null {
  if (!isObject(value)) return null
  const categories = entriesOf(value['categories'], (each) => typeof each === 'boolean')
  const scores = entriesOf(value['category_scores'] ?? {}, isFinite)
  if (categories === null || scores === null) return null
  const { flagged, category_applied_input_types: types } = value
  return {
    flagged: typeof flagged === 'boolean' ? flagged : Object.values(categories).some(Boolean),
    ...{ categories, scores },
    inputTypes: entriesOf(types, Array.isArray),
  }
}

function readModeration(
  deps: PromptDeps,
  { count }: UpstreamModerationRequest,
  response: CollectedResponse,
): UpstreamModeration {
  const value = readUtf8Json(response.body)
  if (response.status !== 200 || findError(value) !== null || !isObject(value)) {
    throw promptFailure(deps, response, value, [])
  }
  const report = readPromptUsage(value, response.body, deps.dialect)
  const generationId = generationIdOf(deps, response, value)
  const list: readonly unknown[] = Array.isArray(value['results']) ? value['results'] : []
  const results = list.flatMap((result) => readResult(result) ?? [])
  if (results.length !== count || list.length !== count) {
    const { usage, cost } = report
    const isEmpty = Array.isArray(value['results']) && list.length === 0
    const more = { upstream: deps.name, status: 200, usage, cost, generationId }
    throw upstreamFailure(isEmpty ? 'empty' : 'broken', more)
  }
  return { ...report, results, generationId, model: readModel(value) }
}

/** Builds the adapter. */
export function createModerationUpstream(deps: PromptDeps): ModerationUpstream {
  return {
    takesAnyModel: deps.dialect.takesAnyModel,
    moderate: async (request) => {
      const edits = new Map<string, string | null>(deps.dialect.extraMembers(request))
      edits.set('model', JSON.stringify(request.upstreamModel))
      const sent = { path: '/moderations', body: spliceMembers(request.body, edits) }
      return readModeration(deps, request, await sendPrompt(deps, request, sent, ANSWER_BYTES_MAX))
    },
  }
}
