/** An upstream with as many dialects as models: the number in a model's name says which. */
import { play } from '../../packages/server/testing/scripted-answer.ts'
import { startStubUpstream, type StubCall } from '../../packages/server/testing/stub-upstream.ts'
import { drawOnce } from '../fuzz/draw.ts'
import { answerOf } from './answer-bytes.ts'
import { dialect, type Dialect, type Refused, textDialect } from './dialect.ts'

/** Where an upstream completes texts, for those that do. */
export const TEXTS_PATH = '/texts'

/** How a model is called whose upstream speaks the dialect of a number. */
export const MODEL_PREFIX = 'odd-'

/** The dialect of a number, the same for the same seed. */
export function dialectOf(seed: number, number: number): Dialect {
  return drawOnce(dialect, Math.imul(seed, 1_000_003) + number)
}

export interface OddUpstream {
  /** Ends in `/v1`. */
  readonly url: string
  /** Requests so far. */
  readonly count: () => number
  close(): Promise<void>
}

const marks: Readonly<Record<Refused, RegExp>> = {
  stream_options: /"stream_options"/,
  reasoning: /"reasoning(?:_content|_details)?":/,
  cache_control: /"cache_control"/,
}

/** What an upstream says that refuses parts of a request; null where it refuses none. */
function refusalOf({ refuses, refusal, number }: Dialect, { text }: StubCall): { status: number; body: string } | null {
  const found = refuses.filter((part) => marks[part].test(text))
  if (found.length === 0) return null
  const named = refusal === 'all' ? found : found.slice(0, 1)
  const words = named.map((part) => (part === 'reasoning' ? 'reasoning_content' : part))
  const message = refusal === 'vague' ? 'Invalid request' : `Extra inputs are not permitted: ${words.join(', ')}`
  return {
    status: number % 2 === 0 ? 400 : 422,
    body: JSON.stringify({ error: { message, type: 'invalid_request_error' } }),
  }
}

/** Starts it. */
export async function startOddUpstream(seed: number): Promise<OddUpstream> {
  let count = 0
  const { url, close } = await startStubUpstream({
    async handler(call, response) {
      const model = call.json?.['model']
      if (typeof model !== 'string' || !model.startsWith(MODEL_PREFIX)) return void response.writeHead(404).end('{}')
      count++
      const drawn = dialectOf(seed, Number(model.slice(MODEL_PREFIX.length)))
      const isPath = call.path.endsWith(TEXTS_PATH)
      // Of the forms that are asked, only a text completion offers no tools.
      const isText = isPath || call.json?.['tools'] === undefined
      const own = isText ? textDialect(drawn, isPath) : drawn
      const refused = refusalOf(own, call)
      if (refused !== null) {
        return void response.writeHead(refused.status, { 'content-type': 'application/json' }).end(refused.body)
      }
      const answer = answerOf(own, call.wantsStream)
      const isHeadless = answer.end === 'silence' && own.trouble.kind === 'silence' && own.number % 3 === 0
      await (isHeadless ? call.closed : play(response, answer))
    },
  })
  return { url, close, count: () => count }
}
