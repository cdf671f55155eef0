/** `svc price`: what a request costs at most, from the price list, before anything is spent. */
import {
  countCharacters,
  type Exact,
  formatCredits,
  type ModelEntry,
  nanocreditsFrom,
  nanocreditsOf,
  type Nanocredits,
} from '@svc/contract'
import type { ApiConnection } from '../api-connection.ts'
import { CommandError } from '../command-error.ts'
import type { Context } from '../context.ts'
import { creditsText, usdText } from '../credits-text.ts'
import { exitCodes } from '../exit-codes.ts'
import { printJson } from '../print-json.ts'
import { readPipedText } from '../terminal/read-input.ts'

export interface PriceOptions {
  readonly model: string
  readonly maxTokens?: number | undefined
}

type Model = Exact<ModelEntry>

const TOKENS_PER_MILLION = 1_000_000n
/** Beside the text a request has tokens that only its form makes. Own choice, on the safe side. */
const FORM_TOKENS = 64

/**
 * Prints the bound of a chat request: no tokenizer is needed, since a token is at least a byte of text.
 */
export async function price(context: Context, words: readonly string[], options: PriceOptions): Promise<void> {
  const { terminal } = context
  const prompt = words.length === 0 ? ((await readPipedText(terminal.input)) ?? '') : words.join(' ')
  const api = await context.publicApi()
  const model = await findModel(api, options.model, terminal.signal)
  const bound = boundOf(model, prompt, options.maxTokens ?? null)
  if (context.options.json === true) {
    await printJson(terminal.out, {
      model: model.id,
      credits_at_most: formatCredits(bound.credits),
      prompt_tokens_at_most: bound.promptTokens,
      output_tokens_at_most: bound.outputTokens,
    })
    return
  }
  const credits = formatCredits(bound.credits)
  await terminal.out.line(`At most ${creditsText(credits)} (${usdText(credits)})`)
  await terminal.notes.line(
    `${countCharacters(prompt)} characters, at most ${bound.promptTokens} tokens in and ${bound.outputTokens} out. ` +
      'The charge is by what is used.',
  )
}

function findModel({ client, endpoints }: ApiConnection, id: string, signal: AbortSignal): Promise<Model> {
  return client.call(endpoints.getModel, { path: { id } }, { signal })
}

interface Bound {
  readonly credits: Nanocredits
  readonly promptTokens: number
  readonly outputTokens: number
}

/** @throws {CommandError} for models that are not sold by tokens, or whose output has no known end. */
export function boundOf(model: Model, prompt: string, maxTokens: number | null): Bound {
  const { credits_per_1m_input: input, credits_per_1m_output: output } = model.svc
  if (input === null || output === null) {
    throw new CommandError(`${model.id} is not sold by tokens.`, {
      advice: '`svc models` shows its price.',
      exitCode: exitCodes.wrongUsage,
    })
  }
  const outputTokens = maxTokens ?? model.max_output_tokens ?? model.context_length
  if (outputTokens === null) {
    throw new CommandError(`${model.id} does not say how much it answers at most.`, {
      advice: 'Set a limit: --max-tokens 1000.',
      exitCode: exitCodes.wrongUsage,
    })
  }
  const promptTokens = new TextEncoder().encode(prompt).length + FORM_TOKENS
  const exact = nanocreditsFrom(input) * BigInt(promptTokens) + nanocreditsFrom(output) * BigInt(outputTokens)
  // Rounded up once, as the charge is.
  const credits = nanocreditsOf((exact + TOKENS_PER_MILLION - 1n) / TOKENS_PER_MILLION)
  return { credits, promptTokens, outputTokens }
}
