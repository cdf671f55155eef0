import { promptTrainings } from '@svc/contract'
import { z } from 'zod'
import { archiveSchema } from './archive-config.ts'
import { batchesSchema } from './batches-config.ts'
import { usdText } from './decimal-price.ts'
import { depositsSchema } from './deposits-config.ts'
import { filePart, milliseconds, orNull } from './file-part.ts'
import { type LimitName, limitsSchema } from './limits-config.ts'
import { mediaPriceSchema } from './media-price-entry.ts'
import { plainProblem } from './plain-problem.ts'

/** The file's name; it is looked for in the working directory. */
export const CONFIG_FILE = 'svc.config.json'

const modelId = z.string().min(1).max(200)
const upstreamName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,31}$/, 'use lower-case letters, digits and hyphens, at most 32')

const promptTraining = z.enum(promptTrainings)

const prices = {
  input: usdText.describe('USD per million input tokens.'),
  output: usdText.describe('USD per million output tokens.'),
  cached_input: usdText.optional().describe('USD per million input tokens that the upstream had cached.'),
  cache_write: usdText.optional().describe('USD per million input tokens that the upstream stored in its cache.'),
  cache_write_long: usdText
    .optional()
    .describe('The same for those that live long there, such as an hour; `cache_write` by default.'),
}

export const priceSchema = z.strictObject({
  ...prices,
  audio_input: usdText.optional().describe('USD per million input tokens that are audio.'),
  audio_output: usdText.optional().describe('USD per million output tokens that are audio.'),
  image_output: usdText.optional().describe('USD per million output tokens that are images.'),
  request: usdText.optional().describe('USD per request, beside the tokens.'),
  tiers: z
    .array(z.strictObject({ above_input_tokens: z.int().min(1), ...prices }))
    .max(10)
    .refine(isRising, 'put the tiers in rising order of above_input_tokens')
    .optional()
    .describe('Prices of the whole request once its input exceeds so many tokens, in rising order.'),
})

function isRising(tiers: readonly { readonly above_input_tokens: number }[]): boolean {
  const bounds = tiers.map((tier) => tier.above_input_tokens)
  return bounds.every((bound, index) => index === 0 || bound > (bounds[index - 1] ?? 0))
}

/** What a model costs upstream; absent parts are priced as what they are a part of. */
export type PriceEntry = z.output<typeof priceSchema>

const textCompletionsSchema = filePart({
  path: z
    .string()
    .max(200)
    .regex(/^\/[\w.~/-]+$/, 'give a path behind url, such as /completions')
    .refine((path) => !/\/[./]/.test(path), 'give a path behind url without // and /..')
    .default('/completions')
    .describe('Where it takes them, behind url.'),
  suffix: z.boolean().default(true).describe('Whether it takes a suffix, and fills in the text before it.'),
  models: orNull(
    z
      .array(modelId.regex(/^[^*]+\*?$/, 'put * at the end alone, for all ids that begin so'))
      .min(1)
      .max(200),
  ).describe(
    'The models that complete texts, by the id that the upstream knows or its start with * behind it; all by default.',
  ),
})

const keyVariable = z
  .string()
  .regex(/^[A-Z][A-Z0-9_]{0,99}$/, 'give the name of a variable, such as OPENROUTER_API_KEY')

/** Keys of one upstream at most. Source: own choice. */
const KEYS_MAX = 20

function isDistinct(names: readonly string[]): boolean {
  return new Set(names).size === names.length
}

/** Source of the three times: decision 0012 (limits of a request). */
export const upstreamSchema = filePart({
  name: upstreamName.describe('How routes, usage records and logs name this upstream.'),
  kind: z.enum(['sandbox', 'openrouter', 'openai-compatible', 'anthropic', 'gemini']),
  url: orNull(z.url({ protocol: /^https?$/ })).describe(
    'Base address, including the version part, such as https://host/v1.',
  ),
  api_key_env: z
    .union([keyVariable, z.array(keyVariable).min(1).max(KEYS_MAX).refine(isDistinct, 'name each variable once')])
    .optional()
    .transform((names) => (names === undefined ? [] : typeof names === 'string' ? [names] : names))
    .describe(
      'Name of the environment variable that holds the key, or several of them: each call takes the key that has most ' +
        'left of its rates, and another where one is refused. The keys themselves are never in this file.',
    ),
  activity_key_env: orNull(keyVariable).describe(
    'Of kind openrouter: name of the environment variable that holds a management key. With it each day is reconciled ' +
      'with what OpenRouter says that it has billed.',
  ),
  connect_ms: milliseconds.default(5_000).describe('Time to connect.'),
  first_byte_ms: milliseconds.default(120_000).describe('Time to the first byte of an answer.'),
  idle_ms: milliseconds
    .default(60_000)
    .describe('Longest silence within an answer that has begun; before its first content it is first_byte_ms.'),
  content_ms: milliseconds
    .default(600_000)
    .describe('Longest time in which an answer brings no content, whatever else keeps its connection open.'),
  requests_at_once: orNull(z.int().min(1).max(100_000)).describe(
    'How many requests it works on at a time; others wait for limits.waiting_ms at most. By default all are sent at once.',
  ),
  allow_h2: z.boolean().default(false).describe('Whether HTTP/2 may be used.'),
  reports_cost: z
    .boolean()
    .optional()
    .describe('Whether usage carries the cost; true by default for openrouter and the sandbox.'),
  failures_are_free: z
    .boolean()
    .optional()
    .describe(
      'Whether it bills nothing for requests of which it says itself that they failed, so that they may be repeated ' +
        'elsewhere; true by default for openrouter and the sandbox.',
    ),
  max_tokens_field: orNull(z.enum(['max_tokens', 'max_completion_tokens'])).describe(
    'The one field in which this upstream takes a limit on the output: limits are sent in it alone.',
  ),
  text_completions: orNull(textCompletionsSchema).describe(
    'Of kind openai-compatible: it completes texts itself, so POST /v1/completions goes there instead of into a chat.',
  ),
  forward_trace: z.boolean().default(false).describe('Whether calls carry a traceparent header while traces are on.'),
  data_collection: z
    .enum(['deny', 'allow'])
    .optional()
    .describe(
      'Of kind openrouter: deny asks with each request for providers that do not keep what they are sent; allow ' +
        'leaves it to the settings of your account there. The default is deny at openrouter.ai, and allow elsewhere.',
    ),
  prompt_training: orNull(promptTraining).describe(
    'Whether it may train on what it is sent, whatever the model; by default nothing is said.',
  ),
})

export type UpstreamEntry = z.output<typeof upstreamSchema>

const target = {
  upstream: upstreamName.describe('Name of the upstream that serves it.'),
  model: orNull(modelId).describe('The id that the upstream knows; the catalog’s own by default.'),
  price: orNull(priceSchema).describe('What this upstream costs for this model.'),
  bills_on_cancel: z
    .boolean()
    .default(true)
    .describe(
      'Whether it bills a chat whose client leaves before the first content; false makes such a request free, where ' +
        'the upstream itself reports no cost.',
    ),
}

const targetSchema = filePart({
  ...target,
  media_price: orNull(mediaPriceSchema).describe(
    'The same for a model that makes or reads media; that of the route by default.',
  ),
  weight: orNull(z.int().min(1).max(1_000)).describe('Its part of the requests; given to all targets or to none.'),
})

export type TargetEntry = z.output<typeof targetSchema>

export const routeSchema = filePart({
  ...target,
  upstream: target.upstream.optional(),
  media_price: orNull(mediaPriceSchema).describe('The same for a model that makes or reads media.'),
  targets: z
    .array(targetSchema)
    .min(1)
    .max(8)
    .optional()
    .describe(
      'In place of upstream, model and price: several upstreams. Without weights they are asked in this order; with ' +
        'weights each request draws the first.',
    ),
  fallback: z
    .boolean()
    .default(true)
    .describe('Whether a request goes on to the next target when one fails without a bill.'),
})

export type RouteEntry = z.output<typeof routeSchema>

/** The configuration file. `docs/svc.config.schema.json` is made from it; a test compares the two. */
export const configFileSchema = filePart({
  $schema: z.string().optional(),
  upstreams: z.array(upstreamSchema).max(20).default([]),
  routes: z.record(modelId, routeSchema).default({}).describe('Where an alias or a model id is served.'),
  prices: z
    .record(modelId, priceSchema)
    .default({})
    .describe('What a model costs upstream, by the id that the upstream knows.'),
  media_prices: z
    .record(modelId, mediaPriceSchema)
    .default({})
    .describe('What images, videos, speech and transcription cost upstream, by the id that the upstream knows.'),
  default_price: priceSchema.optional().describe('Price of models that have none of their own.'),
  prompt_training: z
    .record(modelId.regex(/^[^*]*\*?$/, 'put * at the end alone, for all ids that begin so'), promptTraining)
    .default({})
    .describe(
      'Whether makers may train on prompts, by the id that the upstream knows or its start with * behind it; the ' +
        'longest that fits decides. What an upstream reports itself goes first.',
    ),
  client_names: z
    .record(modelId.regex(/^[^*]+\*?$/, 'put * at the end alone, for all names that begin so'), modelId.nullable())
    .default({})
    .describe(
      'Which model a name leads to that clients ask for by default, such as claude-opus-5-5, or its start with * ' +
        'behind it; the longest that fits decides, and a name of the catalog goes first. null takes a usual one away.',
    ),
  limits: limitsSchema.prefault({}),
  batches: batchesSchema.prefault({}),
  archive: orNull(archiveSchema).describe('Archives records of old requests by itself, each night.'),
  deposits: depositsSchema.prefault({}),
})

/** What an operator may write. */
export type ConfigFile = z.input<typeof configFileSchema>

/** What is read of it, with the defaults. */
export type FileSettings = z.output<typeof configFileSchema>

/** The JSON schema of the file, for editors and for validation elsewhere. */
export function configFileJsonSchema(): object {
  return {
    title: `SVC configuration (${CONFIG_FILE})`,
    ...z.toJSONSchema(configFileSchema, { io: 'input', target: 'draft-2020-12' }),
  }
}

/** The limits that the file itself sets. */
export type LimitsOfFile = ReadonlySet<LimitName>

export type ParsedConfigFile =
  | { readonly kind: 'parsed'; readonly file: FileSettings; readonly limitsOfFile: LimitsOfFile }
  | { readonly kind: 'wrong'; readonly problems: readonly string[] }

/**
 * Reads the file's text.
 *
 * @param text null when there is no file, which is an empty configuration.
 */
export function parseConfigFile(text: string | null): ParsedConfigFile {
  if (text === null) return { kind: 'parsed', file: configFileSchema.parse({}), limitsOfFile: new Set() }
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (error) {
    return { kind: 'wrong', problems: [`${CONFIG_FILE} is not JSON: ${error instanceof Error ? error.message : ''}`] }
  }
  const parsed = configFileSchema.safeParse(json, { error: plainProblem })
  if (parsed.success) {
    const { limits = {} } = json as ConfigFile
    return { kind: 'parsed', file: parsed.data, limitsOfFile: new Set(Object.keys(limits) as LimitName[]) }
  }
  const problems = parsed.error.issues.map(
    (issue) => `${CONFIG_FILE}, ${pathText(issue.path)}: ${sentence(issue.message)}`,
  )
  return { kind: 'wrong', problems }
}

function pathText(path: readonly PropertyKey[]): string {
  return path.length === 0 ? 'the whole file' : path.map(String).join('.')
}

function sentence(text: string): string {
  return /[.?]$/.test(text) ? text : `${text}.`
}
