import type { ServerResponse } from 'node:http'
import { tokenCost, type TokenUsage } from './prices.ts'
import { randomUUID } from 'node:crypto'
import { brokenError } from './completion-reply.ts'
import { embedText } from './embed-text.ts'
import { type EmbeddingModel, findEmbeddingModel } from './embedding-model.ts'
import { type AnswerScript, ordinaryScript } from './fault-behaviour.ts'
import type { GenerationLog } from './generation-log.ts'
import { refusalError, SandboxError } from './sandbox-error.ts'
import type { SandboxOptions } from './sandbox-options.ts'
import type { SandboxTokens } from './sandbox-tokens.ts'
import { sendError, sendJson, sendPage } from './send-reply.ts'

export interface EmbeddingDeps {
  readonly options: Required<SandboxOptions>
  readonly generations: GenerationLog
  readonly tokens: SandboxTokens
}

type Text = string | readonly number[]

interface EmbeddingRequest {
  readonly model: EmbeddingModel
  readonly texts: readonly Text[]
  readonly dimensions: number
  readonly isBase64: boolean
}

function invalid(message: string): SandboxError {
  return new SandboxError(400, 'invalid_request', message)
}

function isIds(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.length > 0 && value.every((id) => Number.isInteger(id))
}

function textsOf(input: unknown): readonly Text[] {
  const texts: readonly unknown[] =
    typeof input === 'string' || isIds(input) ? [input] : Array.isArray(input) ? input : []
  const isText = (text: unknown): text is Text => (typeof text === 'string' && text !== '') || isIds(text)
  if (texts.length === 0 || !texts.every(isText)) throw invalid('input: expected texts')
  return texts
}

function parseRequest(body: string): EmbeddingRequest {
  let value: unknown
  try {
    value = JSON.parse(body)
  } catch (cause) {
    throw Object.assign(invalid('The body is not JSON.'), { cause })
  }
  const { model: id, input, dimensions, encoding_format: format } = Object(value) as Record<string, unknown>
  const model = findEmbeddingModel(String(id))
  if (model === null) {
    throw new SandboxError(400, 'model_not_found', `${String(id).slice(0, 200)} is not a valid model ID for embeddings`)
  }
  const length = dimensions ?? model.dimensions
  if (typeof length !== 'number' || !Number.isInteger(length) || length < 1 || length > model.dimensions) {
    throw invalid(`dimensions: expected a whole number from 1 to ${model.dimensions}`)
  }
  return { model, texts: textsOf(input), dimensions: length, isBase64: format === 'base64' }
}

async function countTokens({ tokens }: EmbeddingDeps, { texts, model }: EmbeddingRequest): Promise<number> {
  const countOf = async (text: Text): Promise<number> => (typeof text === 'string' ? tokens.count(text) : text.length)
  const counts = await Promise.all(texts.map(countOf))
  const longest = Math.max(...counts)
  if (longest > model.contextLength) {
    const message = `This model takes ${model.contextLength} tokens of one text, however one has ${longest}.`
    throw new SandboxError(400, 'context_length_exceeded', message)
  }
  return counts.reduce((sum, count) => sum + count, 0)
}

function vectorsOf({ texts, dimensions, isBase64 }: EmbeddingRequest, seed: string, script: AnswerScript): object[] {
  if (script.shape === 'empty') return []
  return texts.map((text, index) => {
    const vector = embedText(text, { dimensions, seed })
    const bytes = Buffer.from(vector.buffer, vector.byteOffset, vector.byteLength)
    return { object: 'embedding', index, embedding: isBase64 ? bytes.toString('base64') : [...vector] }
  })
}

async function make(deps: EmbeddingDeps, request: EmbeddingRequest, script: AnswerScript, response: ServerResponse) {
  const { clock, pace, seed } = deps.options
  const promptTokens = await countTokens(deps, request)
  if (script.isSlow) await new Promise((resolve) => setTimeout(resolve, pace.slowFirstTokenMs))
  const usage: TokenUsage = {
    ...{ promptTokens, completionTokens: 0, cachedTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 },
  }
  const nowMs = clock.now()
  const id = `gen-${randomUUID()}`
  const cost = script.reportsCost ? tokenCost(request.model.prices, usage) : null
  if (script.usage !== 'none') {
    const visibleMs = script.usage === 'late' ? nowMs + pace.lateCostMs : nowMs
    const facts = { createdMs: nowMs, visibleMs, isStreamed: false, isCancelled: false, finishReason: null }
    deps.generations.add({ id, model: request.model.id, usage, cost, ...facts })
  }
  const body = JSON.stringify({ object: 'list', id, model: request.model.id, data: vectorsOf(request, seed, script) })
  const costText = cost === null ? '' : `,"cost":${cost}`
  const isTold = script.usage === 'last'
  const counts = `"usage":{"prompt_tokens":${promptTokens},"total_tokens":${promptTokens}${costText}}`
  const text = isTold ? `${body.slice(0, -1)},${counts}}` : body
  const headers = { 'x-generation-id': id }
  if (script.breaks === 'never') return sendJson(response, 200, text, headers)
  response.writeHead(200, { ...headers, 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
  response.write(text.slice(0, text.length / 2), () => response.destroy())
}

/**
 * Answers `POST /embeddings` as the model that is asked for.
 * @throws {SandboxError} for what an upstream would refuse.
 */
export async function answerEmbeddings(deps: EmbeddingDeps, body: string, response: ServerResponse): Promise<void> {
  const request = parseRequest(body)
  const { behaviour } = request.model
  switch (behaviour.kind) {
    case 'answer':
      return make(deps, request, { ...ordinaryScript, ...behaviour.script }, response)
    case 'refuse':
      return sendError(response, refusalError(behaviour))
    case 'page':
      return sendPage(response, behaviour.status)
    case 'error-body':
      return sendJson(response, 200, JSON.stringify({ error: brokenError }))
    default:
      return undefined
  }
}
