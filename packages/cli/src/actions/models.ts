/** `svc models`: what there is, and what it costs. */
import { type Exact, type ModelEntry, shortDecimal } from '@svc/contract'
import type { Context } from '../context.ts'
import { printJson } from '../print-json.ts'
import { keepModelList } from '../settings/model-cache.ts'
import { printTable } from '../terminal/print-table.ts'
import type { Column } from '../terminal/table.ts'

export interface ModelsOptions {
  readonly type?: ModelEntry['svc']['type'] | undefined
  readonly featured?: boolean | undefined
  readonly sort?: 'name' | 'price' | 'context' | undefined
}

type Model = Exact<ModelEntry>

export async function models(context: Context, words: readonly string[], options: ModelsOptions): Promise<void> {
  const api = await context.publicApi()
  const { terminal } = context
  const query = { ...(options.type === undefined ? {} : { type: options.type }) }
  const list = await api.client.call(api.endpoints.listModels, { query }, { signal: terminal.signal })
  // The whole list is what completions offer next.
  if (options.type === undefined) keepModelList(context.settingsFolder, api.settings.baseUrl, list.data, Date.now())
  const chosen = sorted(
    list.data.filter((model) => matches(model, words) && (options.featured !== true || model.svc.featured)),
    options.sort,
  )
  if (context.options.json === true) {
    await printJson(terminal.out, { ...list, data: chosen })
    return
  }
  if (chosen.length === 0) {
    await terminal.notes.line('No model matches.')
    return
  }
  await printModels(context, chosen)
}

async function printModels({ terminal }: Context, chosen: readonly Model[]): Promise<void> {
  const unit: Column<Model> = { title: 'CREDITS EACH', cell: unitText, align: 'right', dropAt: 1 }
  const tokens: readonly Column<Model>[] = [
    { title: 'CREDITS/1M IN', cell: (model) => amount(model.svc.credits_per_1m_input), align: 'right', dropAt: 2 },
    { title: 'OUT', cell: (model) => amount(model.svc.credits_per_1m_output), align: 'right', dropAt: 2 },
  ]
  const contexts: Column<Model> = {
    title: 'CONTEXT',
    cell: (model) => contextText(model.context_length),
    align: 'right',
    dropAt: 4,
  }
  const training: Column<Model> = {
    title: 'TRAINS ON PROMPTS',
    cell: (model) => TRAINING[trainingOf(model) ?? 'unknown'],
    dropAt: 5,
  }
  const isSoldByTokens = chosen.some(
    ({ svc }) => svc.credits_per_1m_input !== null || svc.credits_per_1m_output !== null,
  )
  await printTable(terminal.out, chosen, [
    { title: 'MODEL', cell: (model) => model.id, shrinkTo: 32, keepsEnd: true },
    { title: 'TYPE', cell: (model) => model.svc.type, dropAt: 3 },
    ...(chosen.some((model) => model.context_length !== null) ? [contexts] : []),
    ...(isSoldByTokens ? tokens : []),
    ...(chosen.some(({ svc }) => svc.unit !== null) ? [unit] : []),
    ...(chosen.some((model) => trainingOf(model) !== null) ? [training] : []),
    { title: 'NAME', cell: (model) => model.name, shrinkTo: 12, dropAt: 6 },
  ])
  if (terminal.out.isTerminal) await terminal.notes.line(`${chosen.length} models`)
}

/** What the model list leaves out must not look like a promise. */
const TRAINING = { may: 'may', never: 'never', unknown: 'not stated' } as const

/** Null where the list does not say; a gateway of an earlier version never does. */
function trainingOf({ svc }: Model): Model['svc']['prompt_training'] {
  return svc.prompt_training ?? null
}

function matches(model: Model, words: readonly string[]): boolean {
  const text = `${model.id} ${model.name} ${model.svc.aliases.join(' ')}`.toLowerCase()
  return words.every((word) => text.includes(word.toLowerCase()))
}

function sorted(list: readonly Model[], by: ModelsOptions['sort']): readonly Model[] {
  if (by === undefined) return list
  const keyOf: Readonly<Record<'name' | 'price' | 'context', (one: Model, other: Model) => number>> = {
    name: (one, other) => one.id.localeCompare(other.id),
    price: (one, other) => priceOf(one) - priceOf(other),
    context: (one, other) => (other.context_length ?? 0) - (one.context_length ?? 0),
  }
  return list.toSorted(keyOf[by])
}

/** Only to sort by: money is never calculated from it. */
function priceOf({ svc }: Model): number {
  return svc.credits_per_1m_output === null ? Number.POSITIVE_INFINITY : Number(svc.credits_per_1m_output)
}

/** What is sold by the image, the second or the character. */
function unitText({ svc }: Model): string {
  return svc.unit === null || svc.credits_per_unit === null ? '' : `${shortDecimal(svc.credits_per_unit)}/${svc.unit}`
}

function amount(credits: string | null): string {
  return credits === null ? '' : shortDecimal(credits)
}

function contextText(tokens: number | null): string {
  if (tokens === null) return ''
  return tokens >= 1_000_000 ? `${trimmed(tokens / 1_000_000)}M` : `${trimmed(tokens / 1_000)}K`
}

function trimmed(value: number): string {
  return value >= 100 ? value.toFixed(0) : value.toFixed(1).replace(/\.0$/, '')
}
