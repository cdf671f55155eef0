import type { AnswerChoice, AnswerToken } from './answer-tokens.ts'
import { brokenError, imagesOf } from './completion-reply.ts'
import { logprobOf } from './logprobs.ts'
import type { Step } from './play-steps.ts'
import { type SandboxAnswer, usageAt, usageOf } from './sandbox-answer.ts'
import { renderUsage } from './usage-report.ts'

/** Milliseconds that a stream takes: until its first token, and between tokens. */
export interface StreamPace {
  readonly firstTokenMs: number
  readonly tokenMs: number
}

/** Time between two comments while the first token is awaited. */
const COMMENT_MS = 1_000
const COMMENT = ': SANDBOX PROCESSING\n\n'
const DONE = 'data: [DONE]\n\n'

/**
 * Frames that mean nothing and are legal: a comment, fields to ignore, null and empty choices, a field without a space.
 */
const ODD_FRAMES = [
  ':\r\n\r\n',
  'event: message\r\nid: 7\r\nretry: 3000\r\ndata:{"object":"chat.completion.chunk",\r\ndata: "choices":null}\r\n\r\n',
  'data:{"id":"odd","object":"chat.completion.chunk","choices":[]}\r\n\r\n',
] as const

/**
 * Turns an answer into the steps of a stream: a role, the tokens of all choices in turn, finish reasons, usage,
 * `[DONE]`.
 *
 * Source: the OpenAI API reference, "Chat completion chunk"; the OpenRouter API reference, "Streaming" (comments,
 * usage, errors).
 */
export function* streamSteps(answer: SandboxAnswer, pace: StreamPace): Generator<Step> {
  const frames = chunkFrames(answer)
  const { script } = answer
  yield* waitingSteps(answer, pace)
  let waitMs = pace.firstTokenMs % COMMENT_MS
  if (script.wire === 'odd-frames') for (const text of ODD_FRAMES) yield { kind: 'write', text, waitMs: 0, tokens: 0 }
  let count = 0
  for (const { text, tokens, kind } of frames) {
    if (script.breaks !== 'never' && (kind === 'finish' || (kind === 'content' && count >= script.breakAfter))) break
    if (kind === 'content') count++
    yield* writeSteps(answer, text, waitMs, tokens)
    waitMs = kind === 'content' ? pace.tokenMs : 0
  }
  if (script.breaks === 'never') {
    yield* writeSteps(answer, endFrames(answer), 0, usageOf(answer).completionTokens)
  } else if (script.breaks === 'error') {
    const choices = JSON.stringify([
      { index: 0, delta: { content: '' }, finish_reason: 'error', native_finish_reason: 'error' },
    ])
    const text = `data: ${headOf(answer)}"error":${JSON.stringify(brokenError)},"choices":${choices}}\n\n`
    yield { kind: 'write', text, waitMs, tokens: count }
  } else {
    yield { kind: script.breaks }
  }
}

function* waitingSteps(answer: SandboxAnswer, pace: StreamPace): Generator<Step> {
  // One stream in four begins with a comment, so that clients meet them; which one depends on the request alone.
  if (answer.promptTokens % 4 === 0) yield { kind: 'write', text: COMMENT, waitMs: 0, tokens: 0 }
  for (let waited = COMMENT_MS; waited <= pace.firstTokenMs; waited += COMMENT_MS) {
    yield { kind: 'write', text: COMMENT, waitMs: COMMENT_MS, tokens: 0 }
  }
}

function* writeSteps(answer: SandboxAnswer, text: string, waitMs: number, tokens: number): Generator<Step> {
  if (answer.script.wire !== 'fragments') {
    yield { kind: 'write', text, waitMs, tokens }
    return
  }
  const bytes = Buffer.from(text)
  for (let at = 0, size = 1; at < bytes.length; at += size, size = (size % 7) + 1) {
    yield { kind: 'write', text: bytes.subarray(at, at + size), waitMs: at === 0 ? waitMs : 0, tokens }
  }
}

interface ChunkFrame {
  readonly text: string
  /** Output tokens sent so far, this frame's included. */
  readonly tokens: number
  readonly kind: 'role' | 'content' | 'finish'
}

function* chunkFrames(answer: SandboxAnswer): Generator<ChunkFrame> {
  const head = headOf(answer)
  const { choices, script } = answer
  const frame = (choice: string, tokens: number, hasUsage: boolean): string =>
    `data: ${head}"choices":[${choice}]${hasUsage ? `,"usage":${usageText(answer, tokens)}` : ''}}\n\n`
  const isEach = script.usage === 'every-chunk'
  let sent = 0
  // A stream that breaks before its first chunk sends no role either.
  if (script.breaks === 'never' || script.breakAfter > 0) {
    for (const index of choices.keys()) {
      const text = frame(renderChoice(index, '{"role":"assistant","content":""}', 'null', null), 0, isEach)
      yield { text, tokens: 0, kind: 'role' }
    }
  }
  const longest = choices.reduce((most, { tokens }) => Math.max(most, tokens.length), 0)
  for (let at = 0; at < longest; at++) {
    for (const [index, choice] of choices.entries()) {
      const token = choice.tokens[at]
      if (token === undefined) continue
      sent++
      const delta = renderDelta(choice, token, choice.tokens[at - 1], answer.topLogprobs !== null)
      if (delta === null) continue
      const text = frame(renderChoice(index, delta, renderLogprobs(answer, token), null), sent, isEach)
      yield { text, tokens: sent, kind: 'content' }
    }
  }
  if (answer.image !== null) {
    const text = frame(renderChoice(0, JSON.stringify(imagesOf(answer, 0)), 'null', null), sent, isEach)
    yield { text, tokens: sent, kind: 'content' }
  }
  for (const [index, { finishReason }] of choices.entries()) {
    const isLast = index === choices.length - 1 && script.usage === 'finish-chunk'
    const text = frame(renderChoice(index, '{}', 'null', finishReason), sent, isEach || isLast)
    yield { text, tokens: sent, kind: 'finish' }
  }
}

function endFrames(answer: SandboxAnswer): string {
  const { usage, sendsDone } = answer.script
  const done = sendsDone ? DONE : ''
  if (usage !== 'last' && usage !== 'every-chunk') return done
  return `data: ${headOf(answer)}"choices":[],"usage":${usageText(answer, Number.POSITIVE_INFINITY)}}\n\n${done}`
}

function headOf({ id, createdMs, model }: SandboxAnswer): string {
  const fields = JSON.stringify({
    id,
    object: 'chat.completion.chunk',
    created: Math.floor(createdMs / 1000),
    model,
    provider: 'Sandbox',
  })
  return `${fields.slice(0, -1)},`
}

function usageText(answer: SandboxAnswer, sent: number): string {
  const usage = usageAt(answer, sent)
  return renderUsage(usage, answer.costOf(usage))
}

function renderChoice(index: number, delta: string, logprobs: string, finishReason: string | null): string {
  const reason = JSON.stringify(finishReason)
  const reasons = `"finish_reason":${reason},"native_finish_reason":${reason}`
  return `{"index":${index},"delta":${delta},${reasons},"logprobs":${logprobs}}`
}

function renderLogprobs({ topLogprobs }: SandboxAnswer, token: AnswerToken): string {
  if (topLogprobs === null || token.part !== 'content') return 'null'
  return JSON.stringify({ content: [logprobOf(token, topLogprobs)], refusal: null })
}

/** What a token adds to the message; null when it adds nothing that a reader could see. */
function renderDelta(
  choice: AnswerChoice,
  token: AnswerToken,
  before: AnswerToken | undefined,
  hasLogprobs: boolean,
): string | null {
  const { part, text } = token
  if (part === 'call') return renderCallDelta(choice, token, before)
  if (text === '' && !(hasLogprobs && part === 'content')) return null
  const quoted = JSON.stringify(text)
  if (part === 'content') return `{"content":${quoted}}`
  if (part === 'refusal') return `{"refusal":${quoted}}`
  const detail = `{"type":"reasoning.text","text":${quoted},"format":"unknown","index":0}`
  return `{"content":"","reasoning":${quoted},"reasoning_details":[${detail}]}`
}

function renderCallDelta(
  choice: AnswerChoice,
  { call, text }: AnswerToken,
  before: AnswerToken | undefined,
): string | null {
  if (before?.part !== 'call' || before.call !== call) {
    const { id, name } = choice.calls[call] ?? { id: '', name: '' }
    return JSON.stringify({ tool_calls: [{ index: call, id, type: 'function', function: { name, arguments: text } }] })
  }
  return text === '' ? null : JSON.stringify({ tool_calls: [{ index: call, function: { arguments: text } }] })
}
