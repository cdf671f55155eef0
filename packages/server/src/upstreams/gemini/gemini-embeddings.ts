/** Embeddings by Gemini's API. Source: Gemini API reference, "models.batchEmbedContents". */
import { ServiceError } from '../../platform/errors/service-error.ts'
import type { UpstreamEmbeddingRequest } from '../embedding-upstream.ts'
import type { EmbeddingWire } from '../openai-compatible/embeddings.ts'
import { isObject } from '../openai-compatible/usage.ts'
import { refuseConfidential } from '../native/open-native.ts'
import { readGeminiError } from './gemini-answer.ts'

/** Fields that have a place in the API, or that change nothing in the answer. */
const KNOWN = new Set(['model', 'input', 'encoding_format', 'dimensions', 'user'])

function textsOf(input: unknown): readonly string[] {
  const texts: readonly unknown[] = Array.isArray(input) ? input : [input]
  if (texts.every((text) => typeof text === 'string')) return texts
  const message = "Unsupported parameter: this model takes no ids of tokens in 'input'; send text."
  throw new ServiceError('unsupported_parameter', message, { param: 'input' })
}

function write(request: UpstreamEmbeddingRequest): ReturnType<EmbeddingWire['write']> {
  refuseConfidential(request)
  const { value } = request.body
  const unknown = Object.keys(value).find((name) => !KNOWN.has(name) && value[name] !== null)
  if (unknown !== undefined) {
    const param = unknown.slice(0, 64)
    throw new ServiceError('unsupported_parameter', `Unsupported parameter: '${param}' is not known to this model.`, {
      param,
    })
  }
  const model = `models/${request.upstreamModel}`
  const { dimensions } = value
  const length = typeof dimensions === 'number' ? { outputDimensionality: dimensions } : {}
  const requests = textsOf(value['input']).map((text) => ({ model, content: { parts: [{ text }] }, ...length }))
  return {
    path: `/models/${encodeURIComponent(request.upstreamModel)}:batchEmbedContents`,
    body: Buffer.from(JSON.stringify({ requests })),
  }
}

function read(value: unknown): unknown {
  if (!isObject(value)) return value
  if (!Array.isArray(value['embeddings'])) return readGeminiError(value) ?? value
  const usage = isObject(value['usageMetadata']) ? { prompt_tokens: value['usageMetadata']['promptTokenCount'] } : null
  const data = value['embeddings'].map((entry: unknown, index) => ({
    index,
    embedding: isObject(entry) ? entry['values'] : null,
  }))
  return { data, usage }
}

export const geminiEmbeddings: EmbeddingWire = { write, read }
