/**
 * What a chat says of models and providers in OpenRouter's fields: read here, and not passed on. Models that are named
 * besides are an order of preference; what is said of providers is taken where it is a preference, and refused where
 * it is a condition that this gateway could not keep. Source: OpenRouter, model and provider routing; decision 0130.
 */
import { MODEL_CHARACTERS_MAX } from '@svc/contract'
import { ServiceError } from '../../platform/errors/service-error.ts'
import { type CountedJson, countStructure, scanBody } from '../../pipeline/json-call.ts'
import { spliceMembers } from '../../platform/json/json-body.ts'
import { unsupported } from '../../pipeline/refuse-fields.ts'

type Fields = Readonly<Record<string, unknown>>

/** Models that a request may name besides. Source: own choice. */
const MODELS_MAX = 10

/** Values of `provider` that are no condition; absent: any value. */
const preferences: Readonly<Record<string, readonly unknown[] | null>> = {
  order: null,
  sort: null,
  preferred_min_throughput: null,
  preferred_max_latency: null,
  allow_fallbacks: [true],
  require_parameters: [false],
  data_collection: ['allow'],
  zdr: [false],
  enforce_distillable_text: [false],
}

function refuseConditions(provider: unknown): void {
  if (typeof provider !== 'object' || provider === null || Array.isArray(provider)) throw wrong('provider', 'object')
  for (const [name, value] of Object.entries(provider)) {
    if (value === null || (Array.isArray(value) && value.length === 0)) continue
    const taken = Object.hasOwn(preferences, name) ? preferences[name] : undefined
    if (taken === null || taken?.includes(value) === true) continue
    throw unsupported(`provider.${name.slice(0, 64)}`, 'providers are chosen by the operator.')
  }
}

function wrong(param: string, expected: string): ServiceError {
  return new ServiceError('invalid_value', `Invalid value for '${param}': expected ${expected}.`, { param })
}

function readModels(value: unknown): readonly string[] {
  const isName = (name: unknown): name is string =>
    typeof name === 'string' && name !== '' && name.length <= MODEL_CHARACTERS_MAX
  if (Array.isArray(value) && value.length <= MODELS_MAX && value.every(isName)) return value
  throw wrong('models', `at most ${MODELS_MAX} ids of models`)
}

const NAMES = ['models', 'provider', 'route'] as const

/** A request without these fields, and the models that may answer it in their order. */
export interface RoutedChat {
  readonly text: CountedJson
  readonly value: Record<string, unknown>
  /** Empty where the request names its one model as usual. */
  readonly models: readonly string[]
}

/**
 * Takes the wishes out of a request.
 *
 * @throws {ServiceError} `unsupported_parameter` for a condition, `invalid_value` for what is none of these.
 */
export function takeRoutingWishes(text: CountedJson, value: Record<string, unknown>): RoutedChat {
  const named = NAMES.filter((name) => value[name] !== undefined)
  if (named.length === 0) return { text, value, models: [] }
  const { models: besides, provider, route, ...rest } = value
  if (provider !== undefined && provider !== null) refuseConditions(provider)
  if (route !== undefined && route !== null && route !== 'fallback') throw unsupported('route')
  const { model } = value
  const first = typeof model === 'string' ? [model] : []
  const others = besides === undefined || besides === null ? [] : readModels(besides)
  const models = others.length === 0 ? [] : [...new Set([...first, ...others])]
  const edits = new Map<string, string | null>(named.map((name) => [name, null]))
  const chosen: Fields = typeof model === 'string' || models[0] === undefined ? {} : { model: models[0] }
  for (const [name, each] of Object.entries(chosen)) edits.set(name, JSON.stringify(each))
  const without = spliceMembers({ text, value, members: scanBody(text) }, edits)
  return { text: countStructure(without).text, value: { ...rest, ...chosen }, models }
}
