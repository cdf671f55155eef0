import { promptTrainings } from '@svc/contract'
import { z } from 'zod'
import { usdText } from './decimal-price.ts'
import { depositsSchema } from './deposits-entry.ts'
import { mediaPriceSchema } from './media-price-entry.ts'
import { plainProblem } from './plain-problem.ts'

/** The file's name; it is looked for in the working directory. */
export const CONFIG_FILE = 'svc.config.json'

const milliseconds = z.int().min(1).max(3_600_000)
const perMinute = z.int().min(1).max(10_000_000)
const bytes = z.int().min(1_024).max(1_073_741_824)
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

const priceSchema = z.strictObject({
  ...prices,
  audio_input: usdText.optional().describe('USD per million input tokens that are audio.'),
  audio_output: usdText.optional().describe('USD per million output tokens that are audio.'),
  image_output: usdText.optional().describe('USD per million output tokens that are images.'),
  request: usdText.optional().describe('USD per request, beside the tokens.'),
  tiers: z
    .array(z.strictObject({ above_input_tokens: z.int().min(1), ...prices }))
    .max(10)
    .optional()
    .describe('Prices of the whole request once its input exceeds so many tokens, in rising order.'),
})

export type PriceEntry = z.output<typeof priceSchema>

const upstreamSchema = z.strictObject({
  name: upstreamName.describe('How routes, usage records and logs name this upstream.'),
  kind: z.enum(['sandbox', 'openrouter', 'openai-compatible', 'anthropic', 'gemini']),
  url: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe('Base address, including the version part, such as https://host/v1.'),
  api_key_env: z
    .string()
    .regex(/^[A-Z][A-Z0-9_]{0,99}$/, 'give the name of a variable, such as OPENROUTER_API_KEY')
    .optional()
    .describe('Name of the environment variable that holds the key. The key itself is never in this file.'),
  connect_ms: milliseconds.optional().describe('Time to connect; 5,000 by default.'),
  first_byte_ms: milliseconds.optional().describe('Time to the first byte of an answer; 120,000 by default.'),
  idle_ms: milliseconds.optional().describe('Longest silence within an answer; 60,000 by default.'),
  allow_h2: z.boolean().optional().describe('Whether HTTP/2 may be used; false by default.'),
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
  max_tokens_field: z
    .enum(['max_tokens', 'max_completion_tokens'])
    .optional()
    .describe('The one field in which this upstream takes a limit on the output: limits are sent in it alone.'),
  forward_trace: z
    .boolean()
    .optional()
    .describe('Whether calls carry a traceparent header while traces are on; false by default.'),
  data_collection: z
    .enum(['deny', 'allow'])
    .optional()
    .describe(
      'Of kind openrouter: deny asks with each request for providers that do not keep what they are sent; allow ' +
        'leaves it to the settings of your account there. The default is deny at openrouter.ai, and allow elsewhere.',
    ),
  prompt_training: promptTraining
    .optional()
    .describe('Whether it may train on what it is sent, whatever the model; by default nothing is said.'),
})

export type UpstreamEntry = z.output<typeof upstreamSchema>

const target = {
  upstream: upstreamName.describe('Name of the upstream that serves it.'),
  model: modelId.optional().describe('The id that the upstream knows; the catalog’s own by default.'),
  price: priceSchema.optional().describe('What this upstream costs for this model.'),
}

const targetSchema = z.strictObject({
  ...target,
  media_price: mediaPriceSchema
    .optional()
    .describe('The same for a model that makes or reads media; that of the route by default.'),
  weight: z.int().min(1).max(1_000).optional().describe('Its part of the requests; given to all targets or to none.'),
})

const routeSchema = z.strictObject({
  upstream: target.upstream.optional(),
  model: target.model,
  price: target.price,
  media_price: mediaPriceSchema.optional().describe('The same for a model that makes or reads media.'),
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
    .optional()
    .describe('Whether a request goes on to the next target when one fails without a bill; true by default.'),
})

export type RouteEntry = z.output<typeof routeSchema>

const limitsSchema = z.strictObject({
  requests_per_minute: perMinute
    .optional()
    .describe('Requests of one key, and calls of one person in the console; 600 by default.'),
  streams_at_once: z.int().min(1).max(100_000).optional().describe('Open streams of one key; 20 by default.'),
  video_submits_per_minute: perMinute.optional().describe('Videos that a key submits; 20 by default.'),
  public_per_minute: perMinute.optional().describe('Requests without a key from one address; 120 by default.'),
  failed_auth_per_minute: perMinute.optional().describe('Wrong keys from one address; 30 by default.'),
  chat_body_bytes: bytes.optional().describe('Size of a chat request; 32 MiB by default.'),
  images_per_minute: perMinute.optional().describe('Requests for images of one key; 60 by default.'),
  image_form_bytes: bytes.optional().describe('Files of one form with images, all together; 64 MiB by default.'),
  body_bytes_in_flight: bytes
    .optional()
    .describe(
      'Memory for request bodies at a time, each counted as four times its bytes and 64 bytes for each value in it; 512 MiB by default.',
    ),
  upload_bytes_in_flight: bytes
    .optional()
    .describe('Files of requests on disk and in memory at a time; 1 GiB by default.'),
  upload_stall_ms: milliseconds.optional().describe('How long a client may send nothing of a form; 30,000 by default.'),
  headers_ms: milliseconds.optional().describe('How long a request’s headers may take; 30,000 by default.'),
  request_ms: milliseconds.optional().describe('How long a request may take to arrive whole; 300,000 by default.'),
  header_bytes: z
    .int()
    .min(8_192)
    .max(1_048_576)
    .optional()
    .describe('Size of a request’s headers; 64 KiB by default.'),
  lease_ms: milliseconds.optional().describe('How long a silent process keeps its holds; 60,000 by default.'),
  journal_ms: milliseconds.optional().describe('How often open holds are noted; 5,000 by default.'),
  shared_limits_ms: milliseconds
    .optional()
    .describe(
      'How long a request waits for limits that processes share before its process applies its part; 250 by default.',
    ),
  first_content_ms: milliseconds
    .optional()
    .describe('How long the 200 of a stream waits for its first content; 10,000 by default.'),
  keep_alive_ms: milliseconds
    .optional()
    .describe('How often an open stream that is silent sends a comment; 15,000 by default.'),
  free_answers: z
    .int()
    .min(1)
    .max(1_000_000_000)
    .optional()
    .describe(
      'Answers without content, or failures that an upstream bills, before an account is slowed down; one is ' +
        'forgiven a minute, and one for each answer that is charged. 10 by default.',
    ),
  breaker_failures: z
    .int()
    .min(1)
    .max(1_000_000_000)
    .optional()
    .describe(
      'So many failures, at least half of the last 20 calls, and a model of an upstream is left alone; 5 by default.',
    ),
  breaker_open_ms: z
    .int()
    .min(0)
    .max(3_600_000)
    .optional()
    .describe('How long it is left alone before it is tried again; 10,000 by default, 0 never leaves one alone.'),
  shutdown_grace_ms: milliseconds.optional().describe('How long a stop waits for open requests; 30,000 by default.'),
  claims_per_minute: perMinute.optional().describe('Deposit claims of one key; 10 by default.'),
  claims_per_day: perMinute.optional().describe('Deposit claims of one key in a day; 100 by default.'),
  mirrors_per_minute: perMinute.optional().describe('Keys that one key may mirror; 5 by default.'),
  receipts_per_recipient_hour: perMinute.optional().describe('Receipts to one email address in an hour; 3 by default.'),
  receipts_per_recipient_day: perMinute.optional().describe('The same in a day; 5 by default.'),
  receipts_per_account_day: perMinute
    .optional()
    .describe('Receipts that one account asks for in a day; 10 by default.'),
  receipts_per_hour: perMinute.optional().describe('Receipts in an hour, over all accounts; 200 by default.'),
})

export type LimitsEntry = z.output<typeof limitsSchema>

/** The configuration file. `docs/svc.config.schema.json` is made from it; a test compares the two. */
export const configFileSchema = z.strictObject({
  $schema: z.string().optional(),
  upstreams: z.array(upstreamSchema).max(20).optional(),
  routes: z.record(modelId, routeSchema).optional().describe('Where an alias or a model id is served.'),
  prices: z
    .record(modelId, priceSchema)
    .optional()
    .describe('What a model costs upstream, by the id that the upstream knows.'),
  media_prices: z
    .record(modelId, mediaPriceSchema)
    .optional()
    .describe('What images, videos, speech and transcription cost upstream, by the id that the upstream knows.'),
  default_price: priceSchema.optional().describe('Price of models that have none of their own.'),
  prompt_training: z
    .record(modelId.regex(/^[^*]*\*?$/, 'put * at the end alone, for all ids that begin so'), promptTraining)
    .optional()
    .describe(
      'Whether makers may train on prompts, by the id that the upstream knows or its start with * behind it; the ' +
        'longest that fits decides. What an upstream reports itself goes first.',
    ),
  limits: limitsSchema.optional(),
  deposits: depositsSchema.optional(),
})

export type ConfigFile = z.output<typeof configFileSchema>

/** The JSON schema of the file, for editors and for validation elsewhere. */
export function configFileJsonSchema(): object {
  return {
    title: `SVC configuration (${CONFIG_FILE})`,
    ...z.toJSONSchema(configFileSchema, { io: 'input', target: 'draft-2020-12' }),
  }
}

export type ParsedConfigFile =
  | { readonly kind: 'parsed'; readonly file: ConfigFile }
  | { readonly kind: 'wrong'; readonly problems: readonly string[] }

/**
 * Reads the file's text.
 *
 * @param text null when there is no file, which is an empty configuration.
 */
export function parseConfigFile(text: string | null): ParsedConfigFile {
  if (text === null) return { kind: 'parsed', file: {} }
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (error) {
    return { kind: 'wrong', problems: [`${CONFIG_FILE} is not JSON: ${error instanceof Error ? error.message : ''}`] }
  }
  const parsed = configFileSchema.safeParse(json, { error: plainProblem })
  if (parsed.success) return { kind: 'parsed', file: parsed.data }
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
