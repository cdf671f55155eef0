/**
 * The adapter of rankings for upstreams that answer `POST /rerank`. Sources: the API references of Cohere (v1 and v2),
 * Jina, Voyage and OpenRouter; vllm-project/vllm and huggingface/text-embeddings-inference, docs.
 */
import { spliceMembers } from '../../platform/json/json-body.ts'
import type { ReportedUsage } from '../chat-upstream.ts'
import type { CollectedResponse } from '../http-exchange.ts'
import type { RankedDocument, RerankUpstream, UpstreamRanking, UpstreamRerankRequest } from '../rerank-upstream.ts'
import { upstreamFailure } from '../upstream-failure.ts'
import { readUtf8Json } from './audio-upstream.ts'
import { findError } from './errors.ts'
import { generationIdOf, type PromptDeps, promptFailure, readPromptUsage, sendPrompt } from './prompt-exchange.ts'
import { isObject, readModel, tokens } from './usage.ts'

/** Longest answer that is kept in memory: some send every document back. Source: own choice. */
const ANSWER_BYTES_MAX = 64 * 1024 * 1024

/** Documents need not come back: the gateway has them. Not every server knows the field. */
function writeBody({ dialect }: PromptDeps, request: UpstreamRerankRequest): Buffer {
  const edits = new Map<string, string | null>(dialect.extraMembers(request))
  edits.set('model', JSON.stringify(request.upstreamModel))
  edits.set('return_documents', null)
  return spliceMembers(request.body, edits)
}

/** The results under the names that servers have for them; a bare list is one, too. */
function listIn(value: unknown): unknown {
  return isObject(value) ? (value['results'] ?? value['data']) : value
}

/**
 * Reads a ranking.
 *
 * @returns null when a result is none, or of no document, or of one that has another result.
 */
function readRanked(list: unknown, count: number): readonly RankedDocument[] | null {
  if (!Array.isArray(list)) return null
  const ranked = new Map<number, RankedDocument>()
  for (const result of list) {
    if (!isObject(result)) return null
    const { index, relevance_score: score = result['score'] } = result
    if (typeof index !== 'number' || !Number.isInteger(index) || index < 0 || index >= count) return null
    if (typeof score !== 'number' || !Number.isFinite(score) || ranked.has(index)) return null
    ranked.set(index, { index, score })
  }
  return [...ranked.values()].toSorted((left, right) => right.score - left.score)
}

/** The first count that is one and not zero; null for none. */
function firstCount(...values: readonly unknown[]): number | null {
  return values.map(tokens).find((count) => count !== null && count > 0) ?? null
}

/** Counts of tokens and searches, wherever they are: beside the results, or in what is billed. */
function readReport(value: Record<string, unknown>, text: Buffer, deps: PromptDeps): ReportedUsage {
  const { usage } = value
  const meta = isObject(value['meta']) ? value['meta'] : {}
  const [counts, billed, counted] = [usage, meta['billed_units'], meta['tokens']].map((each) =>
    isObject(each) ? each : {},
  ) as [Record<string, unknown>, Record<string, unknown>, Record<string, unknown>]
  const requests = firstCount(counts['search_units'], billed['search_units'])
  const prompt = firstCount(
    ...[counts['prompt_tokens'], counts['total_tokens'], counts['input_tokens']],
    ...[billed['input_tokens'], billed['total_tokens'], counted['input_tokens']],
  )
  const whole = { ...value, usage: { ...counts, prompt_tokens: prompt ?? 0 } }
  const reported = readPromptUsage(whole, text, deps.dialect)
  if (requests === null) return reported
  const none = { promptTokens: 0, completionTokens: 0, cachedTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 }
  const lacks = prompt === null ? ({ lacks: 'prompt' } as const) : {}
  return { ...reported, ...lacks, usage: { ...(reported.usage ?? none), requests } }
}

function readRanking(deps: PromptDeps, { count }: UpstreamRerankRequest, response: CollectedResponse): UpstreamRanking {
  const value = readUtf8Json(response.body)
  if (response.status !== 200 || findError(value) !== null) throw promptFailure(deps, response, value, [])
  const fields = isObject(value) ? value : {}
  const report = readReport(fields, response.body, deps)
  const generationId = generationIdOf(deps, response, fields)
  const ranked = readRanked(listIn(value), count)
  if (ranked === null || ranked.length === 0) {
    const { usage, cost } = report
    const more = { upstream: deps.name, status: 200, usage, cost, generationId }
    throw upstreamFailure(ranked === null ? 'broken' : 'empty', more)
  }
  return { ...report, ranked, generationId, model: readModel(fields) }
}

/** Builds the adapter. */
export function createRerankUpstream(deps: PromptDeps): RerankUpstream {
  return {
    takesAnyModel: deps.dialect.takesAnyModel,
    rank: async (request) => {
      const sent = { path: '/rerank', body: writeBody(deps, request) }
      return readRanking(deps, request, await sendPrompt(deps, request, sent, ANSWER_BYTES_MAX))
    },
  }
}
