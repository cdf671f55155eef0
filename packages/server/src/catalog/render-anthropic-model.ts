import type { ModelEntry, Printed } from '@svc/contract'
import type { Model } from './model.ts'
import { renderModel } from './render-model.ts'

/**
 * Renders a model with the fields of Anthropic's list beside its own. Source: Anthropic, models; decision 0127.
 *
 * @param id by which the client asks for it.
 */
export function renderAnthropicModel(id: string, model: Model): Printed<ModelEntry> {
  return {
    ...renderModel(model),
    id,
    type: 'model',
    display_name: model.name,
    created_at: new Date(model.created * 1_000).toISOString(),
    max_input_tokens: model.contextLength,
    max_tokens: model.maxOutputTokens,
    lifecycle: 'active',
    deprecated_at: null,
    retires_at: null,
    line: null,
    capabilities: null,
  }
}
