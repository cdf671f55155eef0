/** What OpenRouter says that it has billed: the activity of a day, and single generations. */
import type { FindProxy } from '../../platform/outbound/open-dispatcher.ts'
import { parseJsonText } from '../../platform/json/parse-json.ts'
import { numberText, scanMembers, walkElements } from '../../platform/json/json-body.ts'
import type { AttoUsd } from '../../pricing/price.ts'
import { attoUsdOf, parseUsd, ZERO_USD } from '../../pricing/usd.ts'
import { collectResponse, type CollectedResponse } from '../http-exchange.ts'
import { recordOf } from '../openai-compatible/json-records.ts'
import { createUpstreamClient, type UpstreamClient } from '../upstream-client.ts'
import {
  type BilledGeneration,
  type BilledModel,
  FiguresUnavailableError,
  type UpstreamFigures,
} from '../upstream-figures.ts'

export interface FiguresOptions {
  readonly name: string
  /** Base address, with its version. */
  readonly url: string
  /** A management key: others may not read the activity. */
  readonly key: string
  readonly findProxy: FindProxy
  /** Waits so many milliseconds; passed in so that tests need not. */
  readonly pause: (milliseconds: number) => Promise<unknown>
}

/** One answer takes so long at most, in milliseconds. Source: own choice. */
const ANSWER_MS = 60_000
const ANSWER_BYTES_MAX = 64 * 1_024 * 1_024
/** How often a call is made that is told to wait, and how long it waits at most, in milliseconds. Source: own choice. */
const TRIES = 4
const WAIT_MS_MAX = 30_000
const WAIT_MS = 1_000

/** Opens it. */
export function openOpenRouterFigures({ name, url, key, findProxy, pause }: FiguresOptions): UpstreamFigures {
  const timeouts = { connectMs: 5_000, firstByteMs: ANSWER_MS, idleMs: ANSWER_MS }
  const client = createUpstreamClient({ url, apiKey: key, timeouts, allowH2: false, findProxy, extraHeaders: {} })
  const ask = (path: string) => askPatiently({ client, name, pause }, path)
  return {
    async readDay(day) {
      const answer = await ask(`/activity?date=${day}`)
      const rows = answer.status === 200 ? recordOf(parseJsonText(answer.body))['data'] : undefined
      const list = Array.isArray(rows) ? scanMembers(answer.body).get('data') : undefined
      if (list === undefined) throw refusal(name, 'activity', answer)
      const models: BilledModel[] = []
      const text = answer.body.subarray(list.valueStart, list.valueEnd)
      walkElements(text, (start, end) => models.push(...billedModel(name, day, text.subarray(start, end))))
      return models
    },
    async findGeneration(generationId) {
      const answer = await ask(`/generation?id=${encodeURIComponent(generationId)}`)
      if (answer.status === 404) return null
      if (answer.status !== 200) throw refusal(name, 'generation', answer)
      return billedGeneration(name, answer)
    },
    close: () => client.close(),
  }
}

/** Asks again where the upstream asks to wait, or is not there for a moment. */
async function askPatiently(
  { client, name, pause }: Pick<FiguresOptions, 'name' | 'pause'> & { readonly client: UpstreamClient },
  path: string,
): Promise<CollectedResponse> {
  for (let left = TRIES - 1; ; left--) {
    const answer = await askOnce(client, name, path)
    const mayAskAgain = answer.status === 429 || answer.status >= 500
    if (!mayAskAgain || left === 0) return answer
    const asked = Number(answer.headers['retry-after']) * 1_000
    await pause(Math.min(Number.isFinite(asked) && asked >= 0 ? asked : WAIT_MS, WAIT_MS_MAX))
  }
}

async function askOnce(client: UpstreamClient, name: string, path: string): Promise<CollectedResponse> {
  const request = {
    origin: client.origin,
    path: `${client.basePath}${path}`,
    method: 'GET',
    headers: { ...client.headers, accept: 'application/json' },
    body: null,
  } as const
  const signal = AbortSignal.timeout(ANSWER_MS)
  try {
    return await collectResponse(client.dispatcher, request, { signal, bytesMax: ANSWER_BYTES_MAX })
  } catch (error) {
    throw new FiguresUnavailableError(`The upstream ${name} cannot be reached for its figures.`, error)
  }
}

function refusal(name: string, what: string, { status }: CollectedResponse): FiguresUnavailableError {
  const why =
    status === 401 || status === 403
      ? 'it refuses the key: a management key is needed'
      : status === 200
        ? 'its answer is not of the form that is known'
        : `it answered ${status}`
  return new FiguresUnavailableError(`The upstream ${name} does not tell its figures (${what}): ${why}.`)
}

/** Source: OpenRouter's API reference, "Get user activity grouped by endpoint". */
function billedModel(name: string, day: string, text: Buffer): readonly BilledModel[] {
  const { date, requests, model, model_permaslug: permanent } = recordOf(parseJsonText(text))
  // An answer for more days than were asked for says which row is of which.
  if (typeof date === 'string' && date.slice(0, 10) !== day) return []
  const usd = (field: string): AttoUsd | null => {
    const digits = numberText(text, [field])
    return digits === null ? null : parseUsd(digits)
  }
  const usage = usd('usage')
  if (typeof requests !== 'number' || typeof model !== 'string' || usage === null) {
    throw new FiguresUnavailableError(
      `The upstream ${name} does not tell its figures (activity): a row lacks its model, its requests or its usage.`,
    )
  }
  const names = [model, ...(typeof permanent === 'string' ? [permanent] : [])]
  return [{ names, requests, cost: attoUsdOf(usage + (usd('byok_usage_inference') ?? ZERO_USD)) }]
}

/** Source: OpenRouter's API reference, "Get request & usage metadata for a generation". */
function billedGeneration(name: string, { body, ...answer }: CollectedResponse): BilledGeneration {
  const usd = (field: string): AttoUsd | null => {
    const digits = numberText(body, ['data', field])
    return digits === null ? null : parseUsd(digits)
  }
  const data = recordOf(recordOf(parseJsonText(body))['data'])
  const total = usd('total_cost')
  if (total === null) throw refusal(name, 'generation', { body, ...answer })
  const own = data['is_byok'] === true ? (usd('upstream_inference_cost') ?? ZERO_USD) : ZERO_USD
  const created = data['created_at']
  const at = typeof created === 'string' ? Date.parse(created) : Number.NaN
  return { cost: attoUsdOf(total + own), at: Number.isNaN(at) ? null : at }
}
