import type { MediaPrices, TokenUsage } from './prices.ts'

/** A model that the sandbox plays. */
export interface PlayedModel {
  readonly id: string
  /** Null for no limit. */
  readonly contextLength: number | null
  readonly maxOutputTokens: number | null
  /** What its media cost; absent for a model of text alone. */
  readonly media?: MediaPrices
}

/** The models of a sandbox, looked up by id; what is derived from a list is kept as long as the list is the same. */
export interface ModelList {
  find(id: string): PlayedModel | null
  /** In the order of the list. */
  all(): readonly PlayedModel[]
  /** The answer of `GET /models` as JSON text. */
  render(): string
}

/** What its models that chat read of a request, by the names of lists. */
export const sandboxParameters: readonly string[] = [
  'max_tokens',
  'max_completion_tokens',
  'stop',
  'seed',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'response_format',
  'structured_outputs',
  'logprobs',
  'top_logprobs',
  'reasoning',
  'reasoning_effort',
]

const NO_TOKENS = { promptTokens: 0, completionTokens: 0, cachedTokens: 0, cacheWriteTokens: 0, reasoningTokens: 0 }

/** Reads the models anew whenever `models` returns another list than before. */
export function createModelList(
  models: () => readonly PlayedModel[],
  costOf: (model: string, usage: TokenUsage) => string | null,
): ModelList {
  let known: readonly PlayedModel[] = []
  let byId = new Map<string, PlayedModel>()
  let text: string | null = null
  const refresh = (): void => {
    const current = models()
    if (current === known) return
    known = current
    byId = new Map(current.map((model) => [model.id, model]))
    text = null
  }
  return {
    find: (id) => {
      refresh()
      return byId.get(id) ?? null
    },
    all: () => {
      refresh()
      return known
    },
    render: () => {
      refresh()
      text ??= JSON.stringify({
        data: known.filter(({ media }) => media === undefined).map((model) => renderModel(model, costOf)),
      })
      return text
    },
  }
}

/** Source: the OpenRouter API reference, "List models"; prices are USD per token as text. */
function renderModel(
  model: PlayedModel,
  costOf: (model: string, usage: TokenUsage) => string | null,
): Readonly<Record<string, unknown>> {
  return {
    id: model.id,
    canonical_slug: model.id,
    name: model.id,
    created: 0,
    description: 'Played by the sandbox.',
    context_length: model.contextLength,
    architecture: {
      input_modalities: ['text', 'image'],
      output_modalities: ['text'],
      modality: 'text+image->text',
      tokenizer: 'GPT',
    },
    pricing: {
      prompt: costOf(model.id, { ...NO_TOKENS, promptTokens: 1 }) ?? '0',
      completion: costOf(model.id, { ...NO_TOKENS, completionTokens: 1 }) ?? '0',
    },
    top_provider: {
      context_length: model.contextLength,
      max_completion_tokens: model.maxOutputTokens,
      is_moderated: false,
    },
    per_request_limits: null,
    supported_parameters: sandboxParameters,
  }
}
