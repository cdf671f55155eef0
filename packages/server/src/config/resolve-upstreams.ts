import { trimEndOf } from '@svc/contract'
import type { ApiKeyConfig, UpstreamConfig } from './config.ts'
import { CONFIG_FILE, type FileSettings, type UpstreamEntry, upstreamSchema } from './config-file.ts'
import type { Environment } from './environment.ts'

/** Name of the upstream that the environment describes. */
const DEFAULT_NAME = 'default'

type Kind = UpstreamConfig['kind']

/** Where OpenRouter itself listens. */
export const OPENROUTER_URL = 'https://openrouter.ai/api/v1'

const knownUrls: Readonly<Record<Kind, string | null>> = {
  sandbox: null,
  openrouter: OPENROUTER_URL,
  'openai-compatible': null,
  anthropic: 'https://api.anthropic.com/v1',
  gemini: 'https://generativelanguage.googleapis.com/v1beta',
}

/** Whose account a kind needs; null for one that may do without a key. */
const accounts: Readonly<Record<Kind, string | null>> = {
  sandbox: null,
  openrouter: 'an OpenRouter',
  'openai-compatible': null,
  anthropic: 'an Anthropic',
  gemini: 'a Google AI',
}

export interface ResolvedUpstreams {
  readonly upstreams: readonly UpstreamConfig[]
  readonly problems: readonly string[]
}

/**
 * Joins the upstream of the environment, named `default`, with those of the file. Where neither names one, the
 * default is the sandbox.
 *
 * @param env the whole environment, for the keys that the file refers to by name.
 */
export function resolveUpstreams(
  environment: Environment,
  file: FileSettings,
  env: Readonly<Record<string, string | undefined>>,
): ResolvedUpstreams {
  const problems: string[] = []
  const entries = file.upstreams
  const upstreams: UpstreamConfig[] = []
  if (environment.SVC_UPSTREAM !== undefined || entries.length === 0) {
    upstreams.push(fromEnvironment(environment, problems))
  } else if (environment.SVC_UPSTREAM_URL !== undefined || environment.SVC_UPSTREAM_API_KEY !== undefined) {
    problems.push(
      'SVC_UPSTREAM_URL and SVC_UPSTREAM_API_KEY need SVC_UPSTREAM: say which kind of upstream they are for.',
    )
  }
  for (const entry of entries) upstreams.push(fromFile(entry, env, problems))
  const names = upstreams.map((upstream) => upstream.name)
  for (const name of new Set(names.filter((name, index) => names.indexOf(name) !== index))) {
    problems.push(`Two upstreams are named "${name}". Give each in ${CONFIG_FILE} a name of its own.`)
  }
  return { upstreams, problems }
}

function fromEnvironment(environment: Environment, problems: string[]): UpstreamConfig {
  const kind = environment.SVC_UPSTREAM ?? 'sandbox'
  const url = environment.SVC_UPSTREAM_URL ?? knownUrls[kind]
  const apiKey = environment.SVC_UPSTREAM_API_KEY ?? null
  if (kind === 'sandbox' && (environment.SVC_UPSTREAM_URL !== undefined || apiKey !== null)) {
    problems.push(
      'SVC_UPSTREAM_URL and SVC_UPSTREAM_API_KEY do nothing with the sandbox. ' +
        'Set SVC_UPSTREAM to another kind, or remove them.',
    )
  }
  const account = accounts[kind]
  if (account !== null && apiKey === null) {
    problems.push(`SVC_UPSTREAM_API_KEY is missing: SVC_UPSTREAM=${kind} needs the key of ${account} account.`)
  }
  if (kind === 'openai-compatible' && url === null) {
    problems.push('SVC_UPSTREAM_URL is missing: give the base address of the server, such as http://127.0.0.1:8080/v1.')
  }
  if (isEndpoint(url)) problems.push(`SVC_UPSTREAM_URL: ${BASE_ALONE}`)
  const apiKeys = apiKey === null ? [] : [{ name: 'SVC_UPSTREAM_API_KEY', secret: apiKey }]
  return upstreamFrom(upstreamSchema.parse({ name: DEFAULT_NAME, kind }), url, { apiKeys, activityKey: null })
}

function fromFile(
  entry: UpstreamEntry,
  env: Readonly<Record<string, string | undefined>>,
  problems: string[],
): UpstreamConfig {
  const url = entry.url === null ? knownUrls[entry.kind] : trimEndOf(entry.url, '/')
  const where = `${CONFIG_FILE}, upstream "${entry.name}"`
  const apiKeys = entry.apiKeyEnv.flatMap((name) => {
    const secret = env[name]?.trim() || null
    if (secret === null) problems.push(`${where}: the variable ${name}, which holds its key, is not set.`)
    return secret === null ? [] : [{ name, secret }]
  })
  if (new Set(apiKeys.map(({ secret }) => secret)).size < apiKeys.length) {
    problems.push(`${where}: two of its variables hold the same key. Name each key once.`)
  }
  if (accounts[entry.kind] !== null && entry.apiKeyEnv.length === 0) {
    problems.push(`${where}: name the variable that holds its key in api_key_env.`)
  }
  if (entry.dataCollection !== undefined && entry.kind !== 'openrouter') {
    problems.push(`${where}: data_collection is for an upstream of kind openrouter; others have no such wish.`)
  }
  if (entry.textCompletions !== null && entry.kind !== 'openai-compatible') {
    problems.push(`${where}: text_completions is for an upstream of kind openai-compatible.`)
  }
  if (entry.kind === 'openai-compatible' && url === null) problems.push(`${where}: give its base address in url.`)
  if (isEndpoint(url)) problems.push(`${where}, url: ${BASE_ALONE}`)
  return upstreamFrom(entry, url, { apiKeys, activityKey: activityKeyOf(entry, env, { where, problems }) })
}

function activityKeyOf(
  { activityKeyEnv: name, kind }: UpstreamEntry,
  env: Readonly<Record<string, string | undefined>>,
  { where, problems }: { readonly where: string; readonly problems: string[] },
): string | null {
  if (name === null) return null
  if (kind !== 'openrouter') {
    problems.push(`${where}: activity_key_env is for an upstream of kind openrouter; others tell no sums of a day.`)
  }
  const key = env[name]?.trim() || null
  if (key === null) problems.push(`${where}: the variable ${name}, which holds its management key, is not set.`)
  return key
}

const BASE_ALONE = 'give the base address alone, such as https://host/v1: the gateway puts each path behind it.'

/** Whether an address is that of one endpoint, which providers show in their first example. */
const isEndpoint = (url: string | null): boolean =>
  url !== null && /\/(chat\/completions|messages)$/.test(new URL(url).pathname)

function upstreamFrom(
  { apiKeyEnv: _name, activityKeyEnv: _activity, dataCollection, ...entry }: UpstreamEntry,
  url: string | null,
  keys: { readonly apiKeys: readonly ApiKeyConfig[]; readonly activityKey: string | null },
): UpstreamConfig {
  const isRouter = entry.kind === 'openrouter' || entry.kind === 'sandbox'
  return {
    ...entry,
    url,
    ...keys,
    reportsCost: entry.reportsCost ?? isRouter,
    failuresAreFree: entry.failuresAreFree ?? isRouter,
    deniesDataCollection: entry.kind === 'openrouter' && (dataCollection ?? usualDataCollection(url)) === 'deny',
  }
}

/**
 * OpenRouter itself is asked unless the operator says otherwise. Another server that speaks its dialect may not know
 * the wish, and gets it only where the operator says so.
 */
function usualDataCollection(url: string | null): UpstreamEntry['dataCollection'] {
  const isItself = url !== null && URL.parse(url)?.hostname === URL.parse(OPENROUTER_URL)?.hostname
  return isItself ? 'deny' : 'allow'
}
