import { consoleEndpoints, type Exact, isSoldByPrompt, type ModelEntry, type ModelPriceQuery } from '@svc/contract'
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { useDeferredValue } from 'react'
import { consoleApi } from '../../api/client.ts'
import { imageModelsQuery, videoModelsQuery } from '../../api/media-models.ts'
import { Credits, Usd } from '../../ui/credits.tsx'
import { Failure } from '../../ui/failure.tsx'
import { TextField } from '../../ui/field.tsx'
import { Card } from '../../ui/page.tsx'
import { SelectField } from '../../ui/select-field.tsx'
import { cachedProblem, countProblem } from './count-problem.ts'

type Model = Exact<ModelEntry>
type Amount = Exclude<keyof ModelPriceQuery, 'model'>
/** A month's use, as the person typed it. */
export type Work = Readonly<Partial<Record<Amount, string>>>

interface Input {
  readonly name: Amount
  readonly label: string
  readonly usual: string
  /** Empty for a number that is typed. */
  readonly options?: readonly string[]
}

const REQUESTS: Input = { name: 'requests', label: 'Requests a month', usual: '1000' }

/** What a model can make, as its lists say; empty where they do not. */
interface Range {
  readonly sizes: readonly string[]
  readonly qualities: readonly string[]
  readonly resolutions: readonly string[]
  readonly seconds: readonly string[]
}

const NO_RANGE: Range = { sizes: [], qualities: [], resolutions: [], seconds: [] }

function useRange({ id, svc }: Model): Range {
  const { data: images } = useQuery({ ...imageModelsQuery, enabled: svc.type === 'image' })
  const { data: videos } = useQuery({ ...videoModelsQuery, enabled: svc.type === 'video' })
  const image = images?.data.find((each) => each.id === id)
  const video = videos?.data.find((each) => each.id === id)
  return {
    ...NO_RANGE,
    ...(image === undefined ? {} : { sizes: image.supported_sizes, qualities: image.supported_qualities }),
    ...(video === undefined
      ? {}
      : { resolutions: video.supported_resolutions, seconds: video.supported_durations.map(String) }),
  }
}

/** A choice among what the model has; nothing where it has none. */
function choiceOf(name: Amount, label: string, has: readonly string[]): readonly Input[] {
  return has.length === 0 ? [] : [{ name, label, usual: '', options: ['', ...has] }]
}

/** How long a video is: one of the model's lengths, or any number. */
function secondsOf(has: readonly string[]): Input {
  const label = 'Seconds each'
  const usual = has.includes('5') ? '5' : (has[0] ?? '5')
  return { name: 'seconds', label, usual, ...(has.length === 0 ? {} : { options: has }) }
}

/** What decides the price of one request, by the kind of the model. */
function inputsOf({ svc }: Model, range: Range): readonly Input[] {
  if (isSoldByPrompt(svc.type)) return [{ name: 'input_tokens', label: 'Tokens each', usual: '1000' }]
  switch (svc.type) {
    case 'text':
      return [
        { name: 'input_tokens', label: 'Input tokens each', usual: '1000' },
        { name: 'cached_tokens', label: 'Of them cached', usual: '0' },
        { name: 'output_tokens', label: 'Output tokens each', usual: '500' },
      ]
    case 'image':
      return [
        { name: 'images', label: 'Images each', usual: '1' },
        ...choiceOf('size', 'Size', range.sizes),
        ...choiceOf('quality', 'Quality', range.qualities),
      ]
    case 'video':
      return [secondsOf(range.seconds), ...choiceOf('resolution', 'Resolution', range.resolutions)]
    case 'speech':
      return [{ name: 'characters', label: svc.unit === 'byte' ? 'Bytes each' : 'Characters each', usual: '1000' }]
    case 'transcription':
      return [{ name: 'seconds', label: 'Seconds of audio each', usual: '60' }]
  }
}

/** @param isWhole false while something of it is no valid figure. */
const priceQuery = (query: Parameters<typeof priceOf>[0], isWhole: boolean) =>
  queryOptions({
    queryKey: ['model-price', query],
    queryFn: ({ signal }) => priceOf(query, signal),
    enabled: isWhole,
    placeholderData: keepPreviousData,
    staleTime: 300_000,
  })

function priceOf(query: { readonly model: string } & Work, signal: AbortSignal) {
  return consoleApi.call(consoleEndpoints.getModelPrice, { query }, { signal })
}

/** Whether what is typed is a valid figure. */
function isCounted({ name, options }: Input, asked: Work): boolean {
  return options !== undefined || countProblem(asked[name] ?? '') === null
}

const areCounted = (inputs: readonly Input[], asked: Work): boolean => inputs.every((input) => isCounted(input, asked))

function problemOf(input: Input, asked: Work): string | null {
  const value = asked[input.name] ?? ''
  if (!isCounted(input, asked)) return countProblem(value)
  return input.name === 'cached_tokens' ? cachedProblem(value, asked.input_tokens ?? '') : null
}

/** Undefined where there is nothing to add to the label. */
function hintOf({ name }: Input, { pricing }: Model): string | undefined {
  const hasOwnPrice = pricing?.input_cache_read !== undefined
  return name === 'cached_tokens' && !hasOwnPrice ? 'no own price for cached tokens' : undefined
}

const route = getRouteApi('/signed-in/team/$teamId/models/$modelId')

/**
 * What a month would cost: the gateway computes it by the rules that charge requests. The address keeps the figures.
 */
export function Calculator({ model }: { readonly model: Model }) {
  const work = route.useSearch()
  const navigate = route.useNavigate()
  const inputs = [REQUESTS, ...inputsOf(model, useRange(model))]
  const typed = inputs.map(({ name, usual }) => [name, work[name] ?? usual] as const)
  const asked = Object.fromEntries(typed.filter(([, value]) => value !== '')) as Work
  const problems = new Map(inputs.map((input) => [input.name, problemOf(input, asked)] as const))
  const isWhole = areCounted(inputs, asked)
  const settled = useDeferredValue(asked)
  const { data, error } = useQuery(priceQuery({ model: model.id, ...settled }, areCounted(inputs, settled)))
  const set = (name: Amount, value: string): void =>
    void navigate({ search: { ...work, [name]: value }, replace: true, resetScroll: false })
  return (
    <Card title="Your month">
      <div className="grid grid-cols-2 items-start gap-3 sm:grid-cols-4">
        {inputs.map((input) => {
          const { name, label, usual, options } = input
          return options === undefined ? (
            <TextField
              key={name}
              label={label}
              inputMode="numeric"
              value={work[name] ?? usual}
              maxLength={12}
              hint={hintOf(input, model)}
              problem={problems.get(name) ?? null}
              onChange={({ target }) => set(name, target.value)}
            />
          ) : (
            <SelectField
              key={name}
              label={label}
              value={work[name] ?? usual}
              options={options.map((value) => ({ value, text: value === '' ? 'as the model chooses' : value }))}
              onPick={(value) => set(name, value)}
            />
          )
        })}
      </div>
      <div role="status" className="mt-5 min-h-20 border-t border-line pt-4">
        {!isWhole && <p className="text-soft">The sum appears once every figure is a whole number.</p>}
        {isWhole && error !== null && <Failure error={error} />}
        {isWhole && error === null && data !== undefined && (
          <>
            <p className="text-2xl leading-8 font-semibold">
              <Credits value={data.credits} /> <span className="font-normal text-soft">a month</span>
            </p>
            <p className="text-soft">
              <Usd value={data.credits} />; one request <Credits value={data.credits_per_request} />, by{' '}
              {data.basis === 'card' ? 'the rate card' : 'the list price with the margin'}.
              {data.may_be_more && ' An upstream that reports the cost of a request may make that request dearer.'}
            </p>
          </>
        )}
      </div>
    </Card>
  )
}
