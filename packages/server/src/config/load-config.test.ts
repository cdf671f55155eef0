import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ConfigError } from './config-error.ts'
import { loadConfig, type LoadedConfig } from './load-config.ts'
import { loadOperatorConfig } from './load-operator-config.ts'

let workingDir = ''
beforeEach(() => {
  workingDir = mkdtempSync(join(tmpdir(), 'svc-config-'))
})
afterEach(() => rmSync(workingDir, { recursive: true }))

const secret = 'f00d'.repeat(16)
const production = {
  SVC_HOST: '0.0.0.0',
  SVC_KEY_PEPPER: secret,
  SVC_SESSION_SECRET: secret,
  SVC_PUBLIC_URL: 'https://ai.example.com/',
  SVC_UPSTREAM: 'openrouter',
  SVC_UPSTREAM_API_KEY: 'sk-or-v1-test',
}

function load(env: Record<string, string>, file?: unknown): LoadedConfig {
  if (file !== undefined) writeFileSync(join(workingDir, 'svc.config.json'), JSON.stringify(file))
  return loadConfig({ env, workingDir })
}

function problemsOf(env: Record<string, string>, file?: unknown): string {
  try {
    load(env, file)
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  }
  throw new Error('the configuration was accepted')
}

describe('on a laptop', () => {
  test('nothing has to be set: the sandbox answers on loopback', () => {
    const { config, notices } = load({ PATH: '/bin', SVC_API_KEY: 'of the client', SVC_BASE_URL: 'of the client' })
    expect(notices).toEqual([])
    expect(config).toMatchObject({
      host: 'localhost',
      port: 8787,
      isProduction: false,
      publicUrl: null,
      databaseUrl: null,
    })
    expect(config.upstreams).toMatchObject([{ name: 'default', kind: 'sandbox', url: null, reportsCost: true }])
    expect(config.limits).toMatchObject({ requestsPerMinute: 600, streamsAtOnce: 20, chatBodyBytes: 33_554_432 })
    expect(Object.isFrozen(config)).toBe(true)
    expect(Object.isFrozen(config.limits)).toBe(true)
  })

  test('missing secrets are made once and kept where only their owner can read them', () => {
    const first = load({}).config
    const second = load({}).config
    expect(first.peppers).toEqual([{ version: 1, secret: expect.stringMatching(/^[0-9a-f]{64}$/) }])
    expect(second.peppers).toEqual(first.peppers)
    expect(second.sessionSecret).toBe(first.sessionSecret)
    expect(first.sessionSecret).not.toBe(first.peppers[0].secret)
    expect(statSync(first.dataDir).mode & 0o777).toBe(0o700)
    for (const name of ['key-pepper', 'session-secret']) {
      expect(statSync(join(first.dataDir, name)).mode & 0o777).toBe(0o600)
    }
  })

  test('three variables serve another upstream', () => {
    const env = {
      SVC_UPSTREAM: 'openai-compatible',
      SVC_UPSTREAM_URL: 'http://127.0.0.1:8080/v1/',
      SVC_UPSTREAM_API_KEY: 'x',
    }
    expect(load(env).config.upstreams).toMatchObject([
      {
        name: 'default',
        kind: 'openai-compatible',
        url: 'http://127.0.0.1:8080/v1',
        apiKeys: [{ name: 'SVC_UPSTREAM_API_KEY', secret: 'x' }],
        reportsCost: false,
      },
    ])
  })
})

describe('in production', () => {
  test('everything that must be kept has to be given', () => {
    const problems = problemsOf({ SVC_HOST: '0.0.0.0' })
    for (const name of ['SVC_KEY_PEPPER', 'SVC_SESSION_SECRET', 'SVC_PUBLIC_URL'])
      expect(problems).toContain(`${name} is missing`)
    expect(problems).toContain('openssl rand -hex 32')
  })

  test.each(['127.0.0.1', '127.9.9.9', '::1', 'localhost'])('%s is not production', (SVC_HOST) => {
    expect(load({ SVC_HOST }).config.isProduction).toBe(false)
  })

  test.each(['0.0.0.0', '::', '10.0.0.1', 'example.com', '1270.0.0.1', 'localhost.example.com'])(
    '%s is',
    (SVC_HOST) => {
      expect(problemsOf({ SVC_HOST })).toContain('is missing')
    },
  )

  test('a complete environment is accepted, and its public URL loses its slash', () => {
    const { config, notices } = load(production)
    expect(config).toMatchObject({ isProduction: true, publicUrl: 'https://ai.example.com', sessionSecret: secret })
    expect(config.upstreams[0]).toMatchObject({ kind: 'openrouter', url: 'https://openrouter.ai/api/v1' })
    expect(notices).toEqual([])
  })

  test.each<readonly [object, boolean]>([
    [{ kind: 'openrouter' }, true],
    [{ kind: 'openrouter', url: 'https://openrouter.ai/api/v1' }, true],
    [{ kind: 'openrouter', data_collection: 'allow' }, false],
    [{ kind: 'openrouter', url: 'https://router.example.com/v1' }, false],
    [{ kind: 'openrouter', url: 'https://router.example.com/v1', data_collection: 'deny' }, true],
    [{ kind: 'openai-compatible', url: 'https://openrouter.ai/api/v1' }, false],
  ])(
    'whether %j keeps nothing of a request is asked of OpenRouter itself, or as the file says: %s',
    (entry, denies) => {
      const upstreams = [{ name: 'a', api_key_env: 'A_KEY', ...entry }]
      const { config } = load({ ...production, SVC_UPSTREAM: '', SVC_UPSTREAM_API_KEY: '', A_KEY: 'k' }, { upstreams })
      expect(config.upstreams.map(({ deniesDataCollection }) => deniesDataCollection)).toEqual([denies])
    },
  )

  test('a wish that an upstream does not know is reported', () => {
    const local = { name: 'a', kind: 'openai-compatible', url: 'http://127.0.0.1:1/v1', data_collection: 'deny' }
    expect(problemsOf({}, { upstreams: [local] })).toContain('data_collection is for an upstream of kind openrouter')
    const router = { name: 'a', kind: 'openrouter', api_key_env: 'A_KEY', text_completions: {} }
    expect(problemsOf({ A_KEY: 'k' }, { upstreams: [router] })).toContain(
      'text_completions is for an upstream of kind openai-compatible.',
    )
  })

  test.each([
    [{}, { path: '/completions', suffix: true, models: null }],
    [
      { path: '/fim/completions', models: ['codestral-*'] },
      { path: '/fim/completions', suffix: true, models: ['codestral-*'] },
    ],
    [{ path: 'completions' }, 'path'],
    [{ path: '/../admin' }, 'path'],
    [{ path: '/completions?x=1' }, 'path'],
    [{ models: ['a*b'] }, 'models'],
    [{ models: [] }, 'models'],
  ])('an upstream that completes texts is described by %j', (said, expected) => {
    const upstreams = [{ name: 'a', kind: 'openai-compatible', url: 'http://127.0.0.1:1/v1', text_completions: said }]
    if (typeof expected === 'string') expect(problemsOf({}, { upstreams })).toContain(`text_completions.${expected}`)
    else expect(load({}, { upstreams }).config.upstreams[0]?.textCompletions).toEqual(expected)
  })

  test('the sandbox and clear text are accepted with a notice', () => {
    const env = { ...production, SVC_UPSTREAM: 'sandbox', SVC_UPSTREAM_API_KEY: '' }
    const { notices } = load({ ...env, SVC_PUBLIC_URL: 'http://ai.example.com' })
    expect(notices.join(' ')).toMatch(/not https.*sandbox/)
  })
})

describe('files', () => {
  const bucket = { SVC_S3_BUCKET: 'images' }
  const keys = { SVC_S3_ACCESS_KEY_ID: 'AKID', SVC_S3_SECRET_ACCESS_KEY: 'canary' }

  test('are in the data folder, and a secret that follows from that of the sessions signs their addresses', () => {
    const { media } = load({}).config
    expect(media).toEqual({ s3: null, secrets: [expect.stringMatching(/^[0-9a-f]{64}$/)] })
    expect(load({}).config.media).toEqual(media)
    expect(load({ SVC_SESSION_SECRET: secret }).config.media.secrets).not.toEqual(media.secrets)
    expect(load({ SVC_SESSION_SECRET: secret }).config.media.secrets).not.toContain(secret)
  })

  test('may have a secret of their own, and two of them while it is changed', () => {
    const SVC_MEDIA_SECRET = `1:${'a'.repeat(32)},2:${'b'.repeat(32)}`
    expect(load({ SVC_MEDIA_SECRET }).config.media.secrets).toEqual(['b'.repeat(32), 'a'.repeat(32)])
  })

  test('are in a bucket where one is named', () => {
    expect(load(bucket).config.media.s3).toEqual({
      bucket: 'images',
      endpoint: null,
      region: 'us-east-1',
      prefix: 'svc/',
      usesPath: false,
      credentials: null,
    })
    const own = { ...bucket, ...keys, SVC_S3_ENDPOINT: 'https://s3.example.com', SVC_S3_PREFIX: 'a/b/' }
    expect(load(own).config.media.s3).toMatchObject({
      usesPath: true,
      prefix: 'a/b/',
      credentials: { accessKeyId: 'AKID' },
    })
    expect(load({ ...own, SVC_S3_ADDRESSING: 'host' }).config.media.s3).toMatchObject({ usesPath: false })
  })

  test('have no settings of a bucket without a bucket, nor half of the credentials', () => {
    expect(problemsOf({ SVC_S3_REGION: 'eu' })).toContain('SVC_S3_BUCKET is not')
    expect(problemsOf({ ...bucket, SVC_S3_SECRET_ACCESS_KEY: 'canary' })).toContain('or neither')
    expect(problemsOf({ ...bucket, SVC_S3_SECRET_ACCESS_KEY: 'canary' })).not.toContain('canary')
  })

  test('of several gateways on one database need a bucket: a notice says so', () => {
    const env = { ...production, SVC_DATABASE_URL: 'postgres://svc@db/svc' }
    expect(load(env).notices).toEqual([expect.stringContaining('SVC_S3_BUCKET')])
    expect(load({ ...env, ...bucket }).notices).toEqual([])
  })
})

describe('peppers', () => {
  test('two may be valid at a time, the higher version for new keys', () => {
    const SVC_KEY_PEPPER = `1:${'a'.repeat(32)},2:${'b'.repeat(32)}`
    expect(load({ SVC_KEY_PEPPER }).config.peppers.map((pepper) => pepper.version)).toEqual([2, 1])
  })

  test('short or equally numbered ones are refused without being repeated', () => {
    expect(problemsOf({ SVC_KEY_PEPPER: 'canary' })).toContain('at least 32 characters')
    expect(problemsOf({ SVC_KEY_PEPPER: 'canary' })).not.toContain('canary')
    expect(problemsOf({ SVC_KEY_PEPPER: `1:${'a'.repeat(32)},1:${'b'.repeat(32)}` })).toContain('different version')
  })
})

describe('variables', () => {
  test('an unknown name is an error with the name that was meant', () => {
    expect(problemsOf({ SVC_UPSTREAM_APIKEY: 'canary' })).toContain('Did you mean SVC_UPSTREAM_API_KEY?')
    expect(problemsOf({ SVC_UPSTREAM_APIKEY: 'canary' })).not.toContain('canary')
    expect(problemsOf({ SVC_SOMETHING_ELSE_ENTIRELY: '1' })).toContain('docs/configuration.md')
  })

  test('a name of a later version is an error that says so', () => {
    const problems = problemsOf({ SVC_REDIS_URL: 'redis://localhost' })
    expect(problems).toContain('not available in this version')
    expect(problems).toContain('share their limits')
  })

  test('what Kubernetes sets for a Service named svc is ignored with a notice', () => {
    const { config, notices } = load({
      SVC_PORT: 'tcp://10.0.0.1:80',
      SVC_SERVICE_HOST: '10.0.0.1',
      SVC_SERVICE_PORT: '80',
      SVC_SERVICE_PORT_HTTP: '80',
      SVC_PORT_80_TCP: 'tcp://10.0.0.1:80',
      SVC_PORT_80_TCP_ADDR: '10.0.0.1',
    })
    expect(config.port).toBe(8787)
    expect(notices).toHaveLength(6)
    expect(notices[0]).toContain('enableServiceLinks: false')
  })

  test('an empty value counts as not set', () => {
    expect(load({ SVC_PORT: '', SVC_DATABASE_URL: ' ' }).config).toMatchObject({ port: 8787, databaseUrl: null })
  })

  test.each([
    ['SVC_PORT', '65536'],
    ['SVC_PORT', '80.5'],
    ['SVC_DATABASE_URL', 'mysql://host/db'],
    ['SVC_PUBLIC_URL', 'https://user:pass@example.com'],
    ['SVC_PUBLIC_URL', 'https://ai.example.com/api'],
    ['SVC_PUBLIC_URL', 'https://ai.example.com//'],
    ['SVC_HOST', 'http://localhost'],
    ['SVC_HOST', '0.0.0.0:8787'],
    ['SVC_HOST', '[::1]'],
    ['SVC_ADMIN_HOST', 'localhost/metrics'],
    ['SVC_UPSTREAM', 'openai'],
    ['SVC_RATE_CARD_UNIT', 'per_1g'],
    ['SVC_DEFAULT_PRICE', '0.5'],
    ['SVC_DEFAULT_PRICE', '1e3/2'],
    ['SVC_TRUSTED_PROXIES', 'everybody'],
    ['SVC_TRUSTED_PROXIES', '10.0.0.0/33'],
    ['SVC_LOG_LEVEL', 'loud'],
    ['SVC_CATALOG_PREFIX', 'No Slash'],
  ])('%s cannot be %j', (name, value) => {
    expect(problemsOf({ [name]: value })).toContain(`${name}: `)
  })

  test.each([
    ['anthropic', 'https://api.anthropic.com/v1'],
    ['gemini', 'https://generativelanguage.googleapis.com/v1beta'],
  ] as const)('%s has a known address, wants a key, and tells no cost', (SVC_UPSTREAM, url) => {
    expect(problemsOf({ SVC_UPSTREAM })).toContain('SVC_UPSTREAM_API_KEY is missing')
    const { config } = load({ SVC_UPSTREAM, SVC_UPSTREAM_API_KEY: 'x' })
    expect(config.upstreams).toMatchObject([
      {
        name: 'default',
        kind: SVC_UPSTREAM,
        url,
        apiKeys: [{ name: 'SVC_UPSTREAM_API_KEY', secret: 'x' }],
        reportsCost: false,
        failuresAreFree: false,
      },
    ])
  })

  test('the public URL is an origin, in the form that browsers send', () => {
    expect(load({ ...production, SVC_PUBLIC_URL: 'HTTPS://AI.example.com:443/' }).config.publicUrl).toBe(
      'https://ai.example.com',
    )
    expect(problemsOf({ SVC_PUBLIC_URL: 'https://ai.example.com/api' })).toContain(
      'SVC_PUBLIC_URL: give scheme, host and port alone, such as https://ai.example.com: paths such as /api/v1',
    )
  })

  test.each(['localhost', '::', '127.0.0.1', 'fe80::1%eth0', 'my_host.internal', 'host.example.'])(
    'SVC_HOST can be %s',
    (SVC_HOST) => {
      expect(load({ ...production, SVC_HOST }).config.host).toBe(SVC_HOST)
    },
  )

  test.each(['https://host/v1/chat/completions', 'https://host/v1/messages/'])(
    'an upstream has a base address, which %s is not',
    (url) => {
      const kind = 'openai-compatible'
      expect(problemsOf({ SVC_UPSTREAM: kind, SVC_UPSTREAM_URL: url })).toContain(
        'SVC_UPSTREAM_URL: give the base address alone',
      )
      expect(problemsOf({}, { upstreams: [{ name: 'a', kind, url }] })).toContain('url: give the base address alone')
    },
  )

  test('a choice is explained in plain words', () => {
    expect(problemsOf({ SVC_UPSTREAM: 'openai' })).toContain(
      'SVC_UPSTREAM: give sandbox, openrouter, openai-compatible, ',
    )
    expect(problemsOf({ SVC_HOST: 'x'.repeat(300) })).toContain('SVC_HOST: give text of at most 253 characters.')
  })

  test('the log has a line for each request unless a person looks at it', () => {
    const level = (env: Record<string, string>) => loadConfig({ env, workingDir, output: 'terminal' }).config.logLevel
    expect(load({}).config.logLevel).toBe('info')
    expect(level({})).toBe('warn')
    expect(level({ SVC_LOG_LEVEL: 'debug' })).toBe('debug')
  })

  test('all problems are named at once', () => {
    expect(problemsOf({ SVC_PORT: 'x', SVC_LOG_LEVEL: 'x', SVC_HOTS: 'x' }).split('\n')).toHaveLength(4)
  })

  test.each([
    [{ SVC_UPSTREAM: 'openrouter' }, 'SVC_UPSTREAM_API_KEY is missing'],
    [{ SVC_UPSTREAM: 'openai-compatible' }, 'SVC_UPSTREAM_URL is missing'],
    [{ SVC_UPSTREAM_URL: 'http://127.0.0.1:1/v1' }, 'do nothing with the sandbox'],
  ])('%j is incomplete', (env, message) => {
    expect(problemsOf(env)).toContain(message)
  })
})

describe('the file', () => {
  const price = { input: '0.25', output: '2.00', cached_input: '0.025' }
  const upstreams = [
    { name: 'openai', kind: 'openai-compatible', url: 'https://api.example.com/v1', api_key_env: 'OPENAI_KEY' },
  ]

  test('names upstreams, routes, prices and limits', () => {
    const { config } = load(
      { OPENAI_KEY: 'the key', SVC_DEFAULT_PRICE: '0.50 / 1.50' },
      {
        upstreams,
        routes: { 'svc-gpt': { upstream: 'openai', model: 'gpt-large', price } },
        prices: { 'gpt-small': price },
        limits: { requests_per_minute: 5 },
      },
    )
    expect(config.upstreams).toHaveLength(1)
    expect(config.upstreams[0]).toMatchObject({
      name: 'openai',
      apiKeys: [{ name: 'OPENAI_KEY', secret: 'the key' }],
      connectMs: 5_000,
    })
    expect(config.routes.get('svc-gpt')).toMatchObject({
      upstream: 'openai',
      model: 'gpt-large',
      price,
      mediaPrice: null,
    })
    expect(config.prices.get('gpt-small')).toEqual(price)
    expect(config.defaultPrice).toEqual({ input: '0.50', output: '1.50' })
    expect(config.limits).toMatchObject({ requestsPerMinute: 5, streamsAtOnce: 20 })
  })

  test('adds to the upstream of the environment', () => {
    const env = { SVC_UPSTREAM: 'sandbox', OPENAI_KEY: 'k' }
    expect(load(env, { upstreams }).config.upstreams.map((upstream) => upstream.name)).toEqual(['default', 'openai'])
  })

  test('may name a variable of its own that begins with SVC_', () => {
    const several = { upstreams: [{ ...upstreams[0], api_key_env: ['KEY_A', 'KEY_B'] }] }
    expect(load({ KEY_A: 'a', KEY_B: ' b ' }, several).config.upstreams[0].apiKeys).toEqual([
      { name: 'KEY_A', secret: 'a' },
      { name: 'KEY_B', secret: 'b' },
    ])
    expect(problemsOf({ KEY_A: 'a' }, several)).toContain('KEY_B, which holds its key, is not set')
    expect(problemsOf({ KEY_A: 'a', KEY_B: 'a' }, several)).toContain('hold the same key')
    const twice = { upstreams: [{ ...upstreams[0], api_key_env: ['KEY_A', 'KEY_A'] }] }
    expect(problemsOf({ KEY_A: 'a' }, twice)).toContain('api_key_env')
    const file = { upstreams: [{ ...upstreams[0], api_key_env: 'SVC_OPENAI_KEY' }] }
    expect(load({ SVC_OPENAI_KEY: 'k' }, file).config.upstreams[0].apiKeys).toEqual([
      { name: 'SVC_OPENAI_KEY', secret: 'k' },
    ])
  })

  test.each([
    ['an unknown field', { upstream: [] }, 'upstream'],
    ['a price that is a number', { prices: { m: { input: 0.25, output: 2 } } }, 'in quotes'],
    [
      'a route of two trades',
      {
        upstreams: [{ name: 'one', kind: 'sandbox' }],
        routes: {
          painter: {
            media_price: { type: 'image', per_image: '0.01' },
            targets: [{ upstream: 'one', media_price: { type: 'speech', per_byte: '0.01' } }],
          },
        },
      },
      'routes.painter: one model does one thing',
    ],
    ['a route to nowhere', { routes: { 'svc-gpt': { upstream: 'nobody' } } }, 'no upstream named "nobody"'],
    ['a key that is not set', { upstreams }, 'OPENAI_KEY'],
    ['an upstream without an address', { upstreams: [{ name: 'a', kind: 'openai-compatible' }] }, 'url'],
    [
      'tiers out of order',
      {
        default_price: {
          ...price,
          tiers: [
            { above_input_tokens: 9, ...price },
            { above_input_tokens: 8, ...price },
          ],
        },
      },
      'rising order',
    ],
  ])('is refused for %s', (_name, file, message) => {
    expect(problemsOf({}, file)).toContain(message)
  })

  test.each([
    [
      { limits: { stream_at_once: 5 } },
      'limits: "stream_at_once" is not a known field. Did you mean "streams_at_once"?',
    ],
    [{ zebra: 1 }, 'the whole file: "zebra" is not a known field. Known here are $schema, upstreams, routes,'],
    [{ limits: { streams_at_once: 0 } }, 'limits.streams_at_once: give a whole number of at least 1.'],
    [{ limits: { streams_at_once: 1e9 } }, 'limits.streams_at_once: give a whole number of at most 100000.'],
    [{ limits: { streams_at_once: 1.5 } }, 'limits.streams_at_once: give a whole number.'],
    [{ limits: 7 }, 'limits: give an object in { }.'],
    [
      { upstreams: [{ name: 'a', kind: 'sandboxx' }] },
      'kind: give sandbox, openrouter, openai-compatible, anthropic or gemini.',
    ],
    [{ upstreams: [{ kind: 'sandbox' }] }, 'upstreams.0.name: this is missing: give text in quotes.'],
    [{ upstreams: [{ name: 'a', kind: 'sandbox', url: 'x' }] }, 'url: give an http or https address'],
    [{ routes: { a: {} } }, 'routes.a.upstream: this is missing'],
    [{ routes: { '': { upstream: 'a' } } }, 'a model id has 1 to 200 characters'],
  ])('is explained in plain words: %j', (file, sentence) => {
    const problems = problemsOf({}, file)
    expect(problems).toContain(sentence)
    expect(problems).not.toMatch(/expected|Invalid|Too |Unrecognized/)
  })

  test('is refused when two upstreams share a name', () => {
    expect(problemsOf({ OPENAI_KEY: 'k' }, { upstreams: [...upstreams, ...upstreams] })).toContain('Two upstreams')
  })

  test('that is not JSON is refused by name', () => {
    writeFileSync(join(workingDir, 'svc.config.json'), '{ "limits": ')
    expect(problemsOf({})).toContain('svc.config.json is not JSON')
    expect(readFileSync(join(workingDir, 'svc.config.json'), 'utf8')).toContain('limits')
  })
})

describe('the admin port', () => {
  test('is off unless it is named, and on loopback unless a host is', () => {
    expect(load({ SVC_ADMIN_HOST: '10.0.0.1' }).config.admin).toBeNull()
    const { config, notices } = load({ SVC_ADMIN_PORT: '9787' })
    expect(config.admin).toEqual({ host: 'localhost', port: 9787 })
    expect(notices).toEqual([])
  })

  test('on another address is a notice', () => {
    const { config, notices } = load({ SVC_ADMIN_PORT: '9787', SVC_ADMIN_HOST: '0.0.0.0' })
    expect(config.admin?.host).toBe('0.0.0.0')
    expect(notices.join()).toContain('private network')
  })

  test('cannot be the port of the API, but for 0, which is any', () => {
    expect(problemsOf({ SVC_ADMIN_PORT: '8787' })).toContain('SVC_ADMIN_PORT')
    expect(load({ SVC_PORT: '0', SVC_ADMIN_PORT: '0' }).config.admin?.port).toBe(0)
  })
})

describe('the operator commands', () => {
  const operate = (env: Record<string, string>) => loadOperatorConfig({ env, workingDir })

  test('need nothing of the upstreams', () => {
    const file = { upstreams: [{ name: 'a', kind: 'openai-compatible', api_key_env: 'MYKEY' }] }
    writeFileSync(join(workingDir, 'svc.config.json'), JSON.stringify(file))
    expect(operate({ SVC_UPSTREAM: 'openrouter' }).upstreams).toHaveLength(2)
  })

  test('make neither a folder nor a secret, and read those that the gateway has kept', () => {
    expect(operate({})).toMatchObject({ peppers: null, sessionSecret: null })
    expect(readdirSync(workingDir)).toEqual([])
    const { peppers, sessionSecret } = load({}).config
    expect(operate({})).toMatchObject({ peppers, sessionSecret })
  })

  test('on a public address take no kept pepper, and need no secret until a key is made', () => {
    load({})
    expect(operate({ SVC_HOST: '0.0.0.0' }).peppers).toBeNull()
    expect(operate({ SVC_HOST: '0.0.0.0', SVC_KEY_PEPPER: secret }).peppers).toEqual([{ version: 1, secret }])
  })

  test('refuse a wrong variable as the gateway does', () => {
    expect(() => operate({ SVC_DATABASE_URL: 'mysql://host/db' })).toThrow(ConfigError)
  })
})
