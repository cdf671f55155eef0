import type { TokenUsage } from './prices.ts'

/** What is known about one answer after its end. */
export interface Generation {
  readonly id: string
  readonly model: string
  readonly usage: TokenUsage
  /** USD as decimal text; null when this model's cost is unknown. */
  readonly cost: string | null
  readonly createdMs: number
  /** Before this time the look-up does not know it yet. */
  readonly visibleMs: number
  readonly isStreamed: boolean
  readonly isCancelled: boolean
  readonly finishReason: string | null
}

/** Remembers the last generations for late look-ups. */
export interface GenerationLog {
  add(generation: Generation): void
  /** The answer of `GET /generation` as JSON text; null for an unknown id, or one that is not visible yet. */
  render(id: string, nowMs: number): string | null
}

const REMEMBERED = 20_000

/** Creates an empty log, which forgets the oldest beyond a fixed number. */
export function createGenerationLog(): GenerationLog {
  const known = new Map<string, Generation>()
  return {
    add: (generation) => {
      const oldest = known.size >= REMEMBERED ? known.keys().next().value : undefined
      if (oldest !== undefined) known.delete(oldest)
      known.set(generation.id, generation)
    },
    render: (id, nowMs) => {
      const generation = known.get(id)
      return generation === undefined || generation.visibleMs > nowMs ? null : renderGeneration(generation)
    },
  }
}

/** Source: the OpenRouter API reference, "Get a generation". */
function renderGeneration(generation: Generation): string {
  const { id, model, usage, cost, createdMs, isStreamed, isCancelled, finishReason } = generation
  const fields = JSON.stringify({
    id,
    model,
    provider_name: 'Sandbox',
    api_type: 'completions',
    created_at: new Date(createdMs).toISOString(),
    streamed: isStreamed,
    cancelled: isCancelled,
    finish_reason: finishReason,
    native_finish_reason: finishReason,
    tokens_prompt: usage.promptTokens,
    tokens_completion: usage.completionTokens,
    native_tokens_prompt: usage.promptTokens,
    native_tokens_completion: usage.completionTokens,
    native_tokens_reasoning: usage.reasoningTokens,
    native_tokens_cached: usage.cachedTokens,
    is_byok: false,
  })
  return `{"data":${fields.slice(0, -1)},"total_cost":${cost ?? 'null'},"usage":${cost ?? 'null'}}}`
}
