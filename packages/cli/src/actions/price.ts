/** `svc price`: what a request costs at most, from the price list, before anything is spent. */
import { type Exact, formatCredits, type ModelEntry } from '@svc/contract'
import type { ApiConnection } from '../api-connection.ts'
import { CommandError } from '../command-error.ts'
import type { Context } from '../context.ts'
import { creditsText, usdText } from '../credits-text.ts'
import { chatPrice } from '../prices/chat-price.ts'
import { imagePrice } from '../prices/image-price.ts'
import { type PriceBound, wrongUsage } from '../prices/price-bound.ts'
import { speechPrice, transcriptPrice } from '../prices/unit-price.ts'
import { videoPrice } from '../prices/video-price.ts'
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
type ModelType = Model['svc']['type']
type Setting = Exclude<keyof PriceOptions, 'model'>

/** What changes the price of each kind; anything else is a mistake of the user. */
const SETTINGS: Readonly<Record<ModelType, readonly Setting[]>> = {
  text: ['maxTokens'],
  embedding: [],
  image: ['count', 'size', 'quality', 'images'],
  video: ['duration', 'resolution', 'audio', 'images'],
  speech: [],
  transcription: ['duration'],
}

export async function price(context: Context, words: readonly string[], options: PriceOptions): Promise<void> {
  const { terminal } = context
  const text = (await readText(words, terminal.input)) ?? ''
  const api = await context.publicApi()
  const model = await api.client.call(
    api.endpoints.getModel,
    { path: { id: options.model } },
    { signal: terminal.signal },
  )
  refuseSettings(model, options)
  const { credits, counted, note } = await boundFor(api, model, { text, options, signal: terminal.signal })
  const amount = formatCredits(credits)
  if (context.options.json === true) {
    await printJson(terminal.out, { model: model.id, credits_at_most: amount, ...counted })
    return
  }
  await terminal.out.line(`At most ${creditsText(amount)} (${usdText(amount)})`)
  if (context.options.quiet !== true) await terminal.notes.line(note)
}

function refuseSettings(model: Model, options: PriceOptions): void {
  const allowed: readonly string[] = SETTINGS[model.svc.type]
  const wrong = Object.entries(options).find(
    ([name, value]) => name !== 'model' && value !== undefined && !allowed.includes(name),
  )
  if (wrong === undefined) return
  const flag = wrong[0].replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
  throw wrongUsage(`--${flag} says nothing about ${model.id}, which is a model for ${model.svc.type}.`, 'Leave it out.')
}

interface Asked {
  readonly text: string
  readonly options: PriceOptions
  readonly signal: AbortSignal
}

async function boundFor(api: ApiConnection, model: Model, { text, options, signal }: Asked): Promise<PriceBound> {
  const { client, endpoints } = api
  const given = options.images ?? 0
  switch (model.svc.type) {
    case 'text':
      return chatPrice(model, text, options.maxTokens ?? null)
    case 'embedding':
      return chatPrice(model, text, 0)
    case 'speech':
      return speechPrice(model, text)
    case 'transcription':
      return transcriptPrice(model, options.duration ?? null)
    case 'image': {
      const { data } = await client.call(endpoints.listImageModels, {}, { signal })
      const { count = 1, size = null, quality = null } = options
      return imagePrice(entryOf(data, model), { count, size, quality, given, prompt: text })
    }
    case 'video': {
      const { data } = await client.call(endpoints.listVideoModels, {}, { signal })
      const { duration: seconds = null, resolution = null, audio: hasAudio = null } = options
      return videoPrice(entryOf(data, model), { seconds, resolution, hasAudio, given })
    }
  }
}

function entryOf<Entry extends { readonly id: string }>(list: readonly Entry[], { id }: Model): Entry {
  const entry = list.find((each) => each.id === id)
  if (entry !== undefined) return entry
  throw new CommandError(`The gateway lists no price of ${id}.`, { advice: '`svc models` shows what there is.' })
}
