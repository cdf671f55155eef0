import type { ServerResponse } from 'node:http'
import { answerPrompt, parseBody, type PromptDeps } from './answer-prompt.ts'
import { embedText } from './embed-text.ts'
import type { AnswerScript } from './fault-behaviour.ts'
import { findRerankModel, type RerankModel } from './rerank-model.ts'
import { invalidRequest, SandboxError } from './sandbox-error.ts'

interface RerankRequest {
  readonly model: RerankModel
  readonly query: string
  readonly documents: readonly string[]
  readonly top: number
}

/** Long enough that few features share a place. */
const DIMENSIONS = 1_024
/** Documents of one search, and tokens of a piece of one. Source: Cohere, "Rerank". */
const SEARCH_DOCUMENTS = 100
const PIECE_TOKENS = 500

function textOf(document: unknown): string {
  if (typeof document === 'string') return document
  const { text } = Object(document) as { readonly text?: unknown }
  return typeof text === 'string' ? text : JSON.stringify(document)
}

function parseRequest(body: string): RerankRequest {
  const { model: id, query, documents, top_n: top } = parseBody(body)
  const model = findRerankModel(String(id))
  if (model === null) {
    throw new SandboxError(400, 'model_not_found', `${String(id).slice(0, 200)} is not a valid model ID for rerank`)
  }
  if (typeof query !== 'string' || query === '') throw invalidRequest('query: expected a text')
  if (!Array.isArray(documents) || documents.length === 0) throw invalidRequest('documents: expected texts')
  const isTop = typeof top === 'number' && Number.isInteger(top) && top > 0
  return { model, query, documents: documents.map(textOf), top: isTop ? top : documents.length }
}

/** By the words and parts of words that a query and a document share: from 0 to 1. */
function scoresOf({ query, documents }: RerankRequest, seed: string): readonly number[] {
  const asked = embedText(query, { dimensions: DIMENSIONS, seed })
  return documents.map((document) => {
    const vector = embedText(document === '' ? ' ' : document, { dimensions: DIMENSIONS, seed })
    const product = vector.reduce((sum, value, at) => sum + value * (asked[at] ?? 0), 0)
    return Number(Math.min(1, Math.max(0, product)).toFixed(6))
  })
}

function resultsOf(request: RerankRequest, seed: string, script: AnswerScript): object[] {
  if (script.shape === 'empty') return []
  return scoresOf(request, seed)
    .map((relevance_score, index) => ({ index, relevance_score }))
    .toSorted((left, right) => right.relevance_score - left.relevance_score)
    .slice(0, request.top)
}

async function countUsage({ tokens }: PromptDeps, { query, documents, model }: RerankRequest) {
  const asked = await tokens.count(query)
  const counts = await Promise.all(documents.map((document) => tokens.count(document)))
  const longest = asked + Math.max(...counts)
  if (longest > model.contextLength) {
    const message = `This model takes ${model.contextLength} tokens of a query and a document, however one has ${longest}.`
    throw new SandboxError(400, 'context_length_exceeded', message)
  }
  const piece = Math.max(1, PIECE_TOKENS - asked)
  const pieces = counts.reduce((sum, count) => sum + Math.max(1, Math.ceil(count / piece)), 0)
  const promptTokens = counts.reduce((sum, count) => sum + asked + count, 0)
  return { promptTokens, requests: Math.ceil(pieces / SEARCH_DOCUMENTS) }
}

/**
 * Answers `POST /rerank` as the model that is asked for.
 * @throws {SandboxError} for what an upstream would refuse.
 */
export async function answerRerank(deps: PromptDeps, body: string, response: ServerResponse): Promise<void> {
  const request = parseRequest(body)
  return answerPrompt(deps, request.model, response, async (script) => ({
    usage: await countUsage(deps, request),
    members: { results: resultsOf(request, deps.options.seed, script) },
  }))
}
