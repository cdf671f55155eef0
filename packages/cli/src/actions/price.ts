/** `svc price`: what a request costs at most, by the gateway, before anything is spent. */
import {
  countCharacters,
  type Exact,
  type InputOf,
  isSoldByPrompt,
  type ModelEntry,
  type ModelType,
  type PromptModelType,
  modelPriceEndpoints,
  type ReplyOf,
} from '@svc/contract'
import { CommandError } from '../command-error.ts'
import type { Context } from '../context.ts'
import { countText } from '../count-text.ts'
import { creditsText, usdText } from '../credits-text.ts'
import { exitCodes } from '../exit-codes.ts'
import { printJson } from '../print-json.ts'
import { readText } from '../terminal/read-input.ts'

export interface PriceOptions {
  readonly model: string
  readonly maxTokens?: number | undefined
  readonly count?: number | undefined
  readonly size?: string | undefined
  readonly quality?: string | undefined
  readonly images?: number | undefined
  readonly duration?: number | undefined
  readonly resolution?: string | undefined
  /** Undefined when the user did not choose. */
  readonly audio?: boolean | undefined
}

type Model = Exact<ModelEntry>
type Setting = Exclude<keyof PriceOptions, 'model'>

/** What changes the price of each kind; anything else is a mistake of the user. */
const SETTINGS: Readonly<Record<Exclude<ModelType, PromptModelType>, readonly Setting[]>> = {
  text: ['maxTokens'],
  image: ['count', 'size', 'quality', 'images'],
  video: ['duration', 'resolution', 'audio', 'images'],
  speech: [],
  transcription: ['duration'],
}

export async function price(context: Context, words: readonly string[], options: PriceOptions): Promise<void> {
  const { terminal } = context
  const { signal } = terminal
  const text = (await readText(words, terminal.input)) ?? ''
  const { client, endpoints } = await context.publicApi()
  const model = await client.call(endpoints.getModel, { path: { id: options.model } }, { signal })
  refuseSettings(model, options)
  const query = sizeOf(model, text, options)
  const asked = await client.call(modelPriceEndpoints.getRequestPrice, { query }, { signal })
  const { credits_at_most: amount, credits_likely: likely, counted } = asked
  if (context.options.json === true) {
    await printJson(terminal.out, { model: model.id, credits_at_most: amount, credits_likely: likely, ...counted })
    return
  }
  await terminal.out.line(`At most ${creditsText(amount)} (${usdText(amount)})`)
  const usual = likely === amount ? '' : ` Usually ${creditsText(likely)}.`
  if (context.options.quiet !== true) await terminal.notes.line(`${noteOf(asked)}${usual}`)
}

function refuseSettings(model: Model, options: PriceOptions): void {
  const { type } = model.svc
  const allowed: readonly string[] = isSoldByPrompt(type) ? [] : SETTINGS[type]
  const wrong = Object.entries(options).find(
    ([name, value]) => name !== 'model' && value !== undefined && !allowed.includes(name),
  )
  if (wrong === undefined) return
  const flag = wrong[0].replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  throw wrongUsage(`--${flag} says nothing about ${model.id}, which is a model for ${model.svc.type}.`, 'Leave it out.')
}

type RequestSize = NonNullable<InputOf<typeof modelPriceEndpoints.getRequestPrice>['query']>

/** What decides the price of the request that `text` and the settings make. */
function sizeOf({ id: model, svc }: Model, text: string, options: PriceOptions): RequestSize {
  const { maxTokens, size, quality, resolution, audio, duration: seconds } = options
  const [images, inputs] = [options.count ?? 1, options.images ?? 0]
  const length = { bytes: Buffer.byteLength(text), characters: countCharacters(text) }
  if (isSoldByPrompt(svc.type)) return { model, ...length }
  switch (svc.type) {
    case 'text': {
      const body = { model, messages: [{ role: 'user', content: text }], max_tokens: maxTokens, stream: true }
      return { model, ...length, bytes: Buffer.byteLength(JSON.stringify(body)), max_tokens: maxTokens }
    }
    case 'speech':
      if (text !== '') return { model, ...length }
      throw wrongUsage('There is no text.', 'Give the text to speak, or pipe it.')
    case 'transcription':
      if (seconds !== undefined) return { model, seconds }
      throw wrongUsage('How long is the recording?', 'Give its length in seconds: --duration 90.')
    case 'image':
      return { model, ...length, images, input_images: inputs, size, quality }
    case 'video': {
      const wanted = audio === undefined ? undefined : audio ? 'true' : 'false'
      return { model, seconds, resolution, audio: wanted, input_images: inputs }
    }
  }
}

/** What was multiplied, for people. */
function noteOf({ type, counted, is_guess: isGuess }: ReplyOf<typeof modelPriceEndpoints.getRequestPrice>): string {
  const guess = isGuess ? ' The list price is a guess: what the upstream reports is charged.' : ''
  const { prompt_tokens_at_most: prompt, output_tokens_at_most: output, resolution, ...units } = counted
  if (prompt !== undefined) {
    const out = output === undefined ? '' : ` and ${countText(output)} out`
    return `At most ${countText(prompt)} tokens in${out}. The charge is by what is used.`
  }
  const named = Object.entries(units).filter(([name, count]) => name !== 'input_images' || count !== 0)
  const parts = named.map(([name, count]) => `${countText(count)} ${nameOf(name, count)}`)
  const at = resolution === undefined ? '' : ` at ${resolution}`
  return `${parts.join(', ')}${at}${type === 'transcription' ? ' of audio' : ''}.${guess}`
}

/** "given images", "second". */
function nameOf(unit: string, count: number | string): string {
  const name = unit === 'input_images' ? 'given images' : unit
  return count === 1 ? name.slice(0, -1) : name
}

function wrongUsage(message: string, advice: string): CommandError {
  return new CommandError(message, { advice, exitCode: exitCodes.wrongUsage })
}
