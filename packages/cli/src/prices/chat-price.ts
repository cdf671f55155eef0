import { countCharacters, type Exact, type ModelEntry } from '@svc/contract'
import { boundOf, type PriceBound, times, wrongUsage } from './price-bound.ts'

const TOKENS_PER_MILLION = 1_000_000n
/** Beside the text a request has tokens that only its form makes. Own choice, on the safe side. */
const FORM_TOKENS = 64

/**
 * The bound of a chat: no tokenizer is needed, since a token is at least a byte of text.
 *
 * @throws {CommandError} for models that are not sold by tokens, or whose output has no known end.
 */
export function chatPrice(model: Exact<ModelEntry>, prompt: string, maxTokens: number | null): PriceBound {
  const { credits_per_1m_input: input, credits_per_1m_output: output } = model.svc
  if (input === null || output === null) {
    throw wrongUsage(`${model.id} is not sold by tokens.`, '`svc models` shows its price.')
  }
  const outputTokens = maxTokens ?? model.max_output_tokens ?? model.context_length
  if (outputTokens === null) {
    throw wrongUsage(`${model.id} does not say how much it answers at most.`, 'Set a limit: --max-tokens 1000.')
  }
  const promptTokens = new TextEncoder().encode(prompt).length + FORM_TOKENS
  const exact = times(input, promptTokens) + times(output, outputTokens)
  return boundOf(
    // Rounded up once, as the charge is.
    (exact + TOKENS_PER_MILLION - 1n) / TOKENS_PER_MILLION,
    { prompt_tokens_at_most: promptTokens, output_tokens_at_most: outputTokens },
    `${countCharacters(prompt)} characters, at most ${promptTokens} tokens in and ${outputTokens} out. ` +
      'The charge is by what is used.',
  )
}
