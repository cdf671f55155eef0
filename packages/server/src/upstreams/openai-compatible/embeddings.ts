/** The adapter of embeddings for upstreams that speak OpenAI's `POST /embeddings`. */
import { spliceMembers } from '../../platform/json/json-body.ts'
import type {
  EmbeddingUpstream,
  UpstreamEmbeddingRequest,
  UpstreamEmbeddings,
  WireVector,
} from '../embedding-upstream.ts'
import type { CollectedResponse } from '../http-exchange.ts'
import { upstreamFailure } from '../upstream-failure.ts'
import { readUtf8Json } from './audio-upstream.ts'
import { findError } from './errors.ts'
import { createLearnedParts, type EmbeddingPart, type LearnedParts } from './learned-parts.ts'
import { type LeftOut, NOTHING_LEFT_OUT, type PartedRequest } from './learned-refusals.ts'
import { generationIdOf, type PromptDeps, promptFailure, readPromptUsage, sendPrompt } from './prompt-exchange.ts'
import { isObject, readModel } from './usage.ts'

/** Longest answer that is kept in memory: the most texts with the longest vectors as numbers. Source: own choice. */
const ANSWER_BYTES_MAX = 128 * 1024 * 1024
/** The longest vector that is believed. Source: own choice. */
const DIMENSIONS_MAX = 1_048_576

/** For an upstream whose embeddings are not written as OpenAI's. */
export interface EmbeddingWire {
  /** @throws {ServiceError} for what the API cannot do. */
  write(request: UpstreamEmbeddingRequest): { readonly path: string; readonly body: Buffer }
  /** Makes OpenAI's shape of an answer; what is none comes back as it is. */
  read(value: unknown): unknown
}

export interface EmbeddingDeps extends PromptDeps {
  /** Absent: it speaks as OpenAI does. */
  readonly wire?: EmbeddingWire
  /** As for chats. */
  readonly learned?: LearnedParts | undefined
}

function writeRequest(
  { dialect, wire }: EmbeddingDeps,
  request: UpstreamEmbeddingRequest,
  left: LeftOut<EmbeddingPart>,
) {
  const edits = new Map<string, string | null>(dialect.extraMembers(request))
  edits.set('model', JSON.stringify(request.upstreamModel))
  if (left.has('encoding_format')) edits.set('encoding_format', null)
  return wire?.write(request) ?? { path: '/embeddings', body: spliceMembers(request.body, edits) }
}

function partedEmbedding({ body, upstreamModel, signal }: UpstreamEmbeddingRequest): PartedRequest<EmbeddingPart> {
  const sent = body.value['encoding_format'] ?? null
  const parts = sent === null ? [] : (['encoding_format'] as const)
  return { upstreamModel, signal, certain: parts[0] ?? null, parts: () => parts }
}

/** A vector, if it is one: numbers that are finite, or text of whole 32-bit floats. */
function readVector(value: unknown): WireVector | null {
  if (typeof value === 'string') {
    const { length } = Buffer.from(value, 'base64')
    return length > 0 && length % 4 === 0 && length / 4 <= DIMENSIONS_MAX ? value : null
  }
  if (!Array.isArray(value) || value.length === 0 || value.length > DIMENSIONS_MAX) return null
  return value.every((number) => typeof number === 'number' && Number.isFinite(number)) ? value : null
}

/**
 * Puts the vectors into the order of the inputs.
 *
 * @returns null when they are not one for each input: a vector too few or twice would be that of another text.
 */
function readVectors(data: unknown, count: number): readonly WireVector[] | null {
  if (!Array.isArray(data) || data.length !== count) return null
  const vectors = new Map<number, WireVector>()
  for (const [place, entry] of data.entries()) {
    if (!isObject(entry)) return null
    const index = entry['index'] ?? place
    const vector = readVector(entry['embedding'])
    if (vector === null || typeof index !== 'number' || !Number.isInteger(index)) return null
    if (index < 0 || index >= count || vectors.has(index)) return null
    vectors.set(index, vector)
  }
  return Array.from({ length: count }, (_none, index) => vectors.get(index) as WireVector)
}

function readEmbeddings(
  deps: EmbeddingDeps,
  request: UpstreamEmbeddingRequest,
  response: CollectedResponse,
): UpstreamEmbeddings {
  const { name: upstream, dialect, wire } = deps
  const parsed = readUtf8Json(response.body)
  const value = wire === undefined ? parsed : wire.read(parsed)
  if (response.status !== 200 || findError(value) !== null || !isObject(value)) {
    throw promptFailure(deps, response, value, ['encoding_format'])
  }
  const reported = readPromptUsage(value, response.body, dialect)
  const vectors = readVectors(value['data'], request.count)
  if (vectors === null) {
    const isEmpty = Array.isArray(value['data']) && value['data'].length === 0
    const generationId = generationIdOf(deps, response, value)
    const { usage, cost } = reported
    throw upstreamFailure(isEmpty ? 'empty' : 'broken', { upstream, status: 200, usage, cost, generationId })
  }
  return {
    ...reported,
    vectors,
    generationId: generationIdOf(deps, response, value),
    model: readModel(value),
  }
}

/** Builds the adapter. */
export function createEmbeddingUpstream(deps: EmbeddingDeps): EmbeddingUpstream {
  const { embeddings: learned } = deps.learned ?? createLearnedParts()
  const embed = async (
    request: UpstreamEmbeddingRequest,
    left: LeftOut<EmbeddingPart>,
  ): Promise<UpstreamEmbeddings> => {
    const response = await sendPrompt(deps, request, writeRequest(deps, request, left), ANSWER_BYTES_MAX)
    return readEmbeddings(deps, request, response)
  }
  return {
    takesAnyModel: deps.dialect.takesAnyModel,
    embed: (request) =>
      deps.wire === undefined
        ? learned.ask(partedEmbedding(request), (left) => embed(request, left))
        : embed(request, NOTHING_LEFT_OUT),
  }
}
