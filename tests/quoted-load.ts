/** Random requests of every kind that are quoted first, to upstreams that do anything at random. */
import { formatCredits } from '@svc/contract'
import { makeWav, WAV_HEADER_BYTES } from '../packages/server/testing/make-wav.ts'
import type { Random } from '../packages/server/testing/random.ts'
import type { StubHandler } from '../packages/server/testing/stub-upstream.ts'
import type { TestGateway } from '../packages/server/testing/test-gateway.ts'

/** A request, and the body that is quoted for it. */
interface RandomRequest {
  readonly path: string
  readonly quoted: object
  readonly body: string | FormData
}

const WORDS = ['hello', 'naïve', '日本語', '🙂', 'x'.repeat(40), '\n', '"quoted"', '0123456789', 'the', 'a']

function text(random: Random, most: number): string {
  return Array.from({ length: 1 + random.below(most) }, () => random.pick(WORDS)).join(random.pick(['', ' ']))
}

const maybe = (random: Random, members: object): object => (random.below(2) === 0 ? members : {})

const json = (path: string, quoted: object): RandomRequest => ({ path, quoted, body: JSON.stringify(quoted) })

function chat(random: Random): RandomRequest {
  const messages = [{ role: 'user', content: `a ${text(random, 60)}` }]
  const stream = maybe(random, { stream: true })
  const limit = 1 + random.below(400)
  switch (random.below(4)) {
    case 0:
      return json('/v1/messages', { model: 'talks', messages, max_tokens: limit, ...stream })
    case 1:
      return json('/v1/responses', {
        ...{ model: 'talks', input: messages, ...stream },
        ...maybe(random, { max_output_tokens: limit }),
      })
    case 2:
      return json('/v1/completions', {
        ...{ model: 'talks', ...stream, ...maybe(random, { max_tokens: limit }) },
        prompt: random.below(3) === 0 ? [`b ${text(random, 9)}`, `c ${text(random, 9)}`] : `d ${text(random, 60)}`,
        ...maybe(random, { n: 1 + random.below(3) }),
      })
    default:
      return json('/v1/chat/completions', {
        ...{ model: 'talks', messages, ...stream, ...maybe(random, { max_tokens: limit }) },
        ...maybe(random, { n: 1 + random.below(3) }),
        ...maybe(random, { tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }] }),
      })
  }
}

function transcription(random: Random): RandomRequest {
  const bytes = 8_000 + random.below(80_000)
  const fields = { model: 'hears', ...maybe(random, { stream: 'true' }) }
  const body = new FormData()
  for (const [name, value] of Object.entries(fields)) body.append(name, value)
  body.append('file', new File([new Uint8Array(makeWav(WAV_HEADER_BYTES + bytes))], 'a.wav', { type: 'audio/wav' }))
  return { path: '/v1/audio/transcriptions', quoted: { ...fields, seconds: bytes / 8_000 }, body }
}

function image(random: Random): RandomRequest {
  const settings = { size: random.pick(['1024x1024', '512x512', '1024x1536']), ...maybe(random, { quality: 'high' }) }
  const common = { model: 'paints', prompt: `e ${text(random, 40)}`, n: 1 + random.below(4), ...settings }
  const given = { images: [{ image_url: 'data:image/png;base64,iVBORw0KGgo=' }] }
  if (random.below(3) === 0) return json('/v1/images/edits', { ...common, ...given })
  return json('/v1/images/generations', { ...common, ...maybe(random, { stream: true }) })
}

const KINDS: readonly ((random: Random) => RandomRequest)[] = [
  chat,
  chat,
  (random) =>
    json('/v1/embeddings', { model: 'embeds', input: random.pick<unknown>([`f ${text(random, 50)}`, ['g', 'h']]) }),
  (random) => json('/v1/rerank', { model: 'ranks', query: `i ${text(random, 9)}`, documents: ['j', text(random, 50)] }),
  (random) => json('/v1/moderations', { model: 'moderates', input: `k ${text(random, 30)}` }),
  image,
  (random) => json('/v1/audio/speech', { model: 'speaks', voice: 'nova', input: `l ${text(random, 60)}` }),
  transcription,
  (random) =>
    json('/v1/videos', { model: 'films', prompt: `m ${text(random, 5)}`, seconds: String(4 + random.below(5)) }),
]

/** Numbers that an upstream may count or cost, true or not. */
const ODD: readonly unknown[] = [0, 1, 7, 900, 1e6, 4_294_967_296, 1e15, -5, 0.5, '12', null, '9e99']

/** Replaces what an answer counts and costs. */
function lie(random: Random, body: string): string {
  const number = (): string => JSON.stringify(ODD[random.below(ODD.length)])
  const cost = `"cost":${random.pick(['0', '0.000001', '3', '900', '-1', 'null', '"2.5"', '1e-30'])},`
  return body
    .replaceAll(
      /"(prompt_tokens|completion_tokens|total_tokens|seconds)":\d+/g,
      (_all, name) => `"${name}":${number()}`,
    )
    .replaceAll('"usage":{', () => `"usage":{${random.below(2) === 0 ? cost : ''}`)
}

/** Does what an upstream that works does, or any of what those do that do not. */
export function oddWork(random: Random, works: StubHandler): StubHandler {
  return (call, response) => {
    const refuse = (status: number, headers: Record<string, string> = {}): void =>
      void response
        .writeHead(status, { 'content-type': 'application/json', ...headers })
        .end(JSON.stringify({ error: { message: 'no', code: status }, usage: { cost: random.pick([0, 2]) } }))
    switch (random.below(9)) {
      case 0:
        return refuse(429, maybe(random, { 'retry-after-ms': '5' }) as Record<string, string>)
      case 1:
        return refuse(random.pick([500, 503, 400]))
      case 2:
        return void response.destroy()
      default: {
        const write = response.write.bind(response)
        const end = response.end.bind(response)
        const isCut = random.below(8) === 0
        const odd = (body: unknown): unknown => (typeof body === 'string' ? lie(random, body) : body)
        response.write = ((body: unknown) => write(odd(body), 'utf8')) as typeof response.write
        response.end = ((body?: unknown) =>
          isCut ? response.destroy() : end(odd(body), 'utf8')) as typeof response.end
        return works(call, response)
      }
    }
  }
}

/** A request that was sent with its quote, and the most that it may cost. */
export interface QuotedAnswer {
  readonly requestId: string
  readonly path: string
  readonly status: number
  readonly text: string
  readonly most: bigint
}

const amountIn = (body: string, name: string): bigint => {
  const [, whole = '', fraction = ''] = new RegExp(`"${name}":(\\d+)(?:\\.(\\d+))?`).exec(body) ?? []
  return BigInt(`${whole}${fraction.padEnd(9, '0')}`)
}

/** Quotes a random request, and sends it with the quote, or a maximum below it, or both. */
export async function askQuoted(gateway: Pick<TestGateway, 'fetch'>, random: Random): Promise<QuotedAnswer> {
  const { path, quoted, body } = random.pick(KINDS)(random)
  const quote = await gateway.fetch('/v1/quotes', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ endpoint: path, body: quoted }),
  })
  const answer = await quote.text()
  if (quote.status !== 200) throw new Error(`${path} has no quote: ${answer}`)
  const most = amountIn(answer, 'credits_at_most')
  const part = random.below(4) === 0 ? (most * BigInt(1 + random.below(10))) / 10n : most
  const headers = {
    ...(part === most || random.below(2) === 0
      ? { 'x-svc-quote': /"quote_id":"([\w-]+)"/.exec(answer)?.[1] ?? '' }
      : {}),
    ...(part === most ? {} : { 'x-svc-max-credits': formatCredits(part) }),
    ...(typeof body === 'string' ? { 'content-type': 'application/json' } : {}),
  }
  const response = await gateway.fetch(path, { method: 'POST', headers, body })
  const said = await response.text().catch(() => 'broken off')
  const requestId = response.headers.get('x-request-id') ?? ''
  const id = /"id":"(vid_[\w-]+)"/.exec(said)?.[1]
  // A job is settled once it is asked after.
  if (id !== undefined) await (await gateway.fetch(`/v1/videos/${id}`)).text()
  return { requestId, path, status: response.status, text: said, most: part }
}
