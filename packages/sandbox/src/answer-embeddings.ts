import type { ServerResponse } from 'node:http'
import { answerPrompt, parseBody, type PromptDeps } from './answer-prompt.ts'
import { embedText } from './embed-text.ts'
import { type EmbeddingModel, findEmbeddingModel } from './embedding-model.ts'
import type { AnswerScript } from './fault-behaviour.ts'
import { invalidRequest, SandboxError } from './sandbox-error.ts'

type Text = string | readonly number[]

interface EmbeddingRequest {
  readonly model: EmbeddingModel
  readonly texts: readonly Text[]
  readonly dimensions: number
  readonly isBase64: boolean
}

function isIds(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.length > 0 && value.every((id) => Number.isInteger(id))
}

function textsOf(input: unknown): readonly Text[] {
  const texts: readonly unknown[] =
    typeof input === 'string' || isIds(input) ? [input] : Array.isArray(input) ? input : []
  const isText = (text: unknown): text is Text => (typeof text === 'string' && text !== '') || isIds(text)
  if (texts.length === 0 || !texts.every(isText)) throw invalidRequest('input: expected texts')
  return texts
}

function parseRequest(body: string): EmbeddingRequest {
  const { model: id, input, dimensions, encoding_format: format } = parseBody(body)
  const model = findEmbeddingModel(String(id))
  if (model === null) {
    throw new SandboxError(400, 'model_not_found', `${String(id).slice(0, 200)} is not a valid model ID for embeddings`)
  }
  const length = dimensions ?? model.dimensions
  if (typeof length !== 'number' || !Number.isInteger(length) || length < 1 || length > model.dimensions) {
    throw invalidRequest(`dimensions: expected a whole number from 1 to ${model.dimensions}`)
  }
  return { model, texts: textsOf(input), dimensions: length, isBase64: format === 'base64' }
}

async function countTokens({ tokens }: PromptDeps, { texts, model }: EmbeddingRequest): Promise<number> {
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

/**
 * Answers `POST /embeddings` as the model that is asked for.
 * @throws {SandboxError} for what an upstream would refuse.
 */
export async function answerEmbeddings(deps: PromptDeps, body: string, response: ServerResponse): Promise<void> {
  const request = parseRequest(body)
  return answerPrompt(deps, request.model, response, async (script) => ({
    usage: { promptTokens: await countTokens(deps, request) },
    members: { object: 'list', data: vectorsOf(request, deps.options.seed, script) },
  }))
}
