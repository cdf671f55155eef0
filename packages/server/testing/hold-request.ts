import { type IncomingMessage, request as httpRequest } from 'node:http'
import { text } from 'node:stream/consumers'

export interface HeldRequest {
  readonly method: string
  /** Behind the base URL. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

export interface LateAnswer {
  readonly status: number
  /** Of an error in any form; null where there is none. */
  readonly code: string | null
  readonly text: string
}

/**
 * Sends the head of a request and the first byte of its body. Resolves once the gateway has begun to answer it, with
 * what sends the rest.
 *
 * @param baseUrl of the gateway; ends in `/api`.
 * @param onAnswer is given an answer as soon as it comes, also one that did not wait for the body.
 */
export function holdRequest(
  baseUrl: string,
  { method, path, headers, body }: HeldRequest,
  onAnswer?: (answer: LateAnswer) => void,
): Promise<() => Promise<LateAnswer>> {
  return new Promise((resolve, reject) => {
    let fail = reject
    const request = httpRequest(`${baseUrl}${path}`, {
      ...{ method, agent: false },
      headers: { ...headers, 'content-length': body.length, expect: '100-continue' },
    })
    const answered = new Promise<LateAnswer>((answer, refuse) => {
      fail = refuse
      request.on('response', (response) => void readAnswer(response).then(answer, refuse))
    })
    if (onAnswer !== undefined) void answered.then(onAnswer, reject)
    request.on('error', (error) => {
      reject(error)
      fail(error)
    })
    request.on('continue', () => {
      request.write(body.subarray(0, 1))
      resolve(() => {
        request.end(body.subarray(1))
        return answered
      })
    })
    request.flushHeaders()
  })
}

async function readAnswer(response: IncomingMessage): Promise<LateAnswer> {
  const answer = await text(response)
  return { status: response.statusCode ?? 0, code: codeIn(answer), text: answer }
}

/** The console and OpenAI's form have `error.code`; that of Messages has it beside. */
function codeIn(answer: string): string | null {
  return /"code":"(\w+)"/.exec(answer)?.[1] ?? null
}
