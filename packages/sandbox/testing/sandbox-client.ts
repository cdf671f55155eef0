/** A plain HTTP client for tests of the sandbox: no adapter is in between, so the dialect itself is seen. */
import { request } from 'undici'
import { noPace, type SandboxOptions } from '../src/sandbox-options.ts'
import { type Sandbox, startSandbox } from '../src/sandbox-server.ts'

export const SANDBOX_KEY = 'sandbox-key'

/** One answer, read to its end; `brokenBy` is the error that ended it early. */
export interface Heard {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly text: string
  readonly brokenBy: unknown
}

/** Starts a sandbox without waits, with two models: `test/model`, and `test/small` with a window of 64 tokens. */
export async function startTestSandbox(options: Partial<SandboxOptions> = {}): Promise<Sandbox> {
  const models = [
    { id: 'test/model', contextLength: null, maxOutputTokens: null },
    { id: 'test/small', contextLength: 64, maxOutputTokens: 8 },
  ]
  return startSandbox({
    key: SANDBOX_KEY,
    models: () => models,
    costOf: (model, usage) =>
      model === 'test/model' ? `0.0000${usage.promptTokens}000000000${usage.completionTokens}` : null,
    pace: noPace,
    ...options,
  })
}

/** Sends a request and reads all of the answer. */
export async function ask(
  sandbox: Sandbox,
  path: string,
  body?: object | string,
  key: string = SANDBOX_KEY,
): Promise<Heard> {
  const answer = await request(`${sandbox.url}${path}`, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const chunks: Buffer[] = []
  let brokenBy: unknown = null
  try {
    for await (const chunk of answer.body) chunks.push(chunk as Buffer)
  } catch (error) {
    brokenBy = error
  }
  return { status: answer.statusCode, headers: answer.headers, text: Buffer.concat(chunks).toString('utf8'), brokenBy }
}

/** Asks a model for a chat answer with one user message, unless `extra` says otherwise. */
export function chat(sandbox: Sandbox, model: string, extra: object = {}): Promise<Heard> {
  return ask(sandbox, '/chat/completions', { model, messages: [{ role: 'user', content: 'Hello there' }], ...extra })
}

/** What tests look at in a choice, whole or in pieces. */
export interface HeardChoice {
  readonly index: number
  readonly finish_reason: string | null
  readonly message: HeardMessage
  readonly delta: HeardMessage
  readonly logprobs: { readonly content: readonly HeardLogprob[] }
}

export interface HeardMessage {
  readonly content: string
  readonly reasoning: string
  readonly refusal: string
  readonly tool_calls: readonly HeardCall[]
}

export interface HeardCall {
  readonly index: number
  readonly id?: string
  readonly function: { readonly name: string; readonly arguments: string }
}

export interface HeardLogprob {
  readonly token: string
  readonly logprob: number
  readonly bytes: readonly number[]
  readonly top_logprobs: readonly HeardLogprob[]
}

/** A whole answer, or a frame of one. */
export interface HeardAnswer {
  readonly id: string
  readonly choices: readonly HeardChoice[] | null
  readonly usage: {
    readonly prompt_tokens: number
    readonly completion_tokens: number
    readonly completion_tokens_details: { readonly reasoning_tokens: number }
  }
}

/** Reads a whole answer. */
export function answerOf(
  heard: Heard,
): HeardAnswer & { readonly choices: readonly HeardChoice[]; readonly first: HeardChoice } {
  const answer = JSON.parse(heard.text) as HeardAnswer
  const choices = answer.choices ?? []
  return { ...answer, choices, first: choices[0] as HeardChoice }
}

/** The JSON frames of an event stream, without comments and `[DONE]`. */
export function framesOf(text: string): HeardAnswer[] {
  return text
    .split(/\r?\n\r?\n/)
    .map((frame) =>
      frame
        .split(/\r?\n/)
        .filter((line) => line.startsWith('data:'))
        .map((line) => line.replace(/^data: ?/, ''))
        .join('\n'),
    )
    .filter((data) => data !== '' && data !== '[DONE]')
    .map((data) => JSON.parse(data) as HeardAnswer)
}

/** Joins what a stream adds to one field of the first choice's message. */
export function joined(text: string, field: 'content' | 'reasoning' | 'refusal', index = 0): string {
  return framesOf(text)
    .flatMap((frame) => frame.choices ?? [])
    .filter((choice) => choice.index === index)
    .map((choice) => choice.delta[field] ?? '')
    .join('')
}
