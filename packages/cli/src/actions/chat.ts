/** `svc chat`: one question and its answer, or a conversation. */
import type { ChatMessage, FetchResponse } from '@svc/contract'
import type { ApiConnection } from '../api-connection.ts'
import { type Answer, type AskProgress, askStreaming, askWhole, bodyOf, type Question } from '../chat/ask.ts'
import { keepImages } from '../chat/answer-images.ts'
import { promptWith, readImage, userMessage } from '../chat/attach.ts'
import { chargeNote } from '../chat/charge-note.ts'
import { interruptedCharge } from '../chat/interrupted-charge.ts'
import { CommandError } from '../command-error.ts'
import type { Context } from '../context.ts'
import { exitCodes } from '../exit-codes.ts'
import { imageProtocol } from '../images/show-image.ts'
import { exactJson, printJson } from '../print-json.ts'
import { WordWrap } from '../terminal/word-wrap.ts'
import { readPipedText, STANDARD_INPUT } from '../terminal/read-input.ts'

export interface ChatOptions {
  readonly model?: string | undefined
  readonly system?: string | undefined
  readonly image?: readonly string[] | undefined
  readonly maxTokens?: number | undefined
  readonly temperature?: number | undefined
  /** Undefined when the user did not choose. */
  readonly stream?: boolean | undefined
}

/** The model of a chat where neither the command nor the profile names one. */
const DEFAULT_MODEL = 'svc-gpt'

export async function chat(context: Context, words: readonly string[], options: ChatOptions): Promise<void> {
  const { terminal } = context
  const api = await context.api()
  const images = await Promise.all((options.image ?? []).map((file) => readImage(file)))
  const piped = await readPipedText(terminal.input)
  // A dash at the end says that something is piped, which is known without it.
  const said = piped !== null && words.at(-1) === STANDARD_INPUT ? words.slice(0, -1) : words
  const prompt = promptWith(said.join(' ').trim(), piped)
  const model = options.model ?? api.settings.model ?? DEFAULT_MODEL
  const start: Question = {
    model,
    messages: options.system === undefined ? [] : [{ role: 'system', content: options.system }],
    maxTokens: options.maxTokens ?? null,
    temperature: options.temperature ?? null,
  }
  if (prompt === '' && images.length === 0) {
    await converse(context, api, start)
    return
  }
  await answerOnce(context, api, options, withMessage(start, userMessage(prompt, images)))
}

function withMessage(question: Question, message: ChatMessage): Question {
  return { ...question, messages: [...question.messages, message] }
}

async function converse(context: Context, api: ApiConnection, start: Question): Promise<void> {
  if (!context.terminal.isInteractive || !context.terminal.out.isTerminal) {
    throw new CommandError('There is no prompt.', {
      advice: 'Give one: svc chat "…", or pipe a text into it.',
      exitCode: exitCodes.wrongUsage,
    })
  }
  const { startSession } = await import('../chat/start-session.ts')
  await startSession(context, api, start)
}

/** A pipe gets whole JSON and text as it comes; what the user chose wins. */
async function answerOnce(
  context: Context,
  api: ApiConnection,
  options: ChatOptions,
  question: Question,
): Promise<void> {
  const progress: AskProgress = { text: '', requestId: null }
  try {
    if (context.options.json === true) await answerJson(context, api, options, { question, progress })
    else await answerText(context, api, options, { question, progress })
  } catch (error) {
    if (context.terminal.signal.aborted) await reportInterrupted(context, api, progress)
    else if (context.options.json !== true && /[^\n]$/.test(progress.text)) await context.terminal.out.text('\n')
    throw error
  }
}

interface Asking {
  readonly question: Question
  readonly progress: AskProgress
}

async function answerText(
  context: Context,
  api: ApiConnection,
  { stream = true }: ChatOptions,
  { question, progress }: Asking,
): Promise<void> {
  const { terminal } = context
  const words = new WordWrap(terminal.out)
  const ask = { signal: terminal.signal, progress, onText: (text: string) => words.text(text) }
  let answer: Answer
  try {
    answer = stream ? await askStreaming(api, question, ask) : (await askWhole(api, question, ask)).answer
    if (!stream) await words.text(answer.text)
  } finally {
    // Also what came before it broke off.
    await words.end()
  }
  if (!answer.text.endsWith('\n') && (answer.text !== '' || answer.images.length === 0)) await terminal.out.text('\n')
  if (answer.images.length > 0) {
    const protocol = await imageProtocol(terminal)
    await keepImages(context, answer.images, { now: new Date(), protocol })
  }
  if (context.options.quiet !== true) await terminal.notes.line(chargeNote(question.model, answer))
}

async function answerJson(
  context: Context,
  api: ApiConnection,
  { stream = false }: ChatOptions,
  { question, progress }: Asking,
): Promise<void> {
  const { terminal } = context
  if (!stream) {
    const { reply } = await askWhole(api, question, {
      signal: terminal.signal,
      progress,
      onText: () => Promise.resolve(),
    })
    await printJson(terminal.out, reply)
    return
  }
  const call = {
    signal: terminal.signal,
    onResponse: (response: Pick<FetchResponse, 'headers'>) => {
      progress.requestId = response.headers.get('x-request-id')
    },
  }
  const body = { ...bodyOf(question), stream_options: { include_usage: true } }
  for await (const event of api.client.stream(api.endpoints.createChatCompletion, { body }, call)) {
    await terminal.out.line(exactJson(event, 0))
  }
}

async function reportInterrupted(context: Context, api: ApiConnection, progress: AskProgress): Promise<void> {
  if (context.options.quiet === true) return
  const lead = progress.text === '' || progress.text.endsWith('\n') ? '' : '\n'
  await context.terminal.notes.line(lead + (await interruptedCharge(api, progress.requestId)))
}
