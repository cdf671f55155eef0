/** `svc chat`: one question and its answer, or a conversation. */
import type { ChatMessage } from '@svc/contract'
import type { ApiConnection } from '../api-connection.ts'
import { answerOnce } from '../chat/answer-once.ts'
import { type Question, withMessages } from '../chat/ask.ts'
import { attachFile, promptWith, readImage, userMessage } from '../chat/attach.ts'
import { readSchema, readTools } from '../chat/request-files.ts'
import { openCalls, toolResult } from '../chat/tool-calls.ts'
import { CommandError } from '../command-error.ts'
import type { Context } from '../context.ts'
import { exitCodes } from '../exit-codes.ts'
import type { Conversation } from '../history/conversation.ts'
import { conversationKeeper, findConversation, type HistoryOptions, type Keep } from '../history/keep-conversation.ts'
import { readPipedText, STANDARD_INPUT } from '../terminal/read-input.ts'

export interface ChatOptions extends HistoryOptions {
  readonly model?: string | undefined
  readonly system?: string | undefined
  readonly image?: readonly string[] | undefined
  readonly attach?: readonly string[] | undefined
  readonly maxTokens?: number | undefined
  readonly temperature?: number | undefined
  readonly schema?: string | undefined
  readonly tools?: string | undefined
  /** `ID=TEXT`: what calls of the answer before gave. */
  readonly toolResult?: readonly string[] | undefined
  /** Undefined when the user did not choose. */
  readonly stream?: boolean | undefined
}

/** The model of a chat where neither the command nor the profile names one. */
const DEFAULT_MODEL = 'svc-gpt'

export async function chat(context: Context, words: readonly string[], options: ChatOptions): Promise<void> {
  const { terminal } = context
  const api = await context.api()
  const known = findConversation(context, api.settings, options)
  const images = await Promise.all((options.image ?? []).map((file) => readImage(file)))
  const files = await Promise.all((options.attach ?? []).map((file) => attachFile(file)))
  const start = await startOf(api, known, options)
  const results = resultsFor(start.messages, options.toolResult ?? [])
  const piped = await readPipedText(terminal.input)
  // A dash at the end says that something is piped, which is known without it.
  const said = piped !== null && words.at(-1) === STANDARD_INPUT ? words.slice(0, -1) : words
  const prompt = promptWith(said.join(' ').trim(), piped)
  const keep = conversationKeeper(context, api.settings, { known, options })
  const attached = [...files, ...images]
  const isAsked = prompt !== '' || attached.length > 0
  if (!isAsked && results.length === 0) {
    await converse(context, api, { start, keep })
    return
  }
  const asked = isAsked ? [userMessage(prompt, attached)] : []
  await answerOnce(context, api, {
    question: withMessages(start, [...results, ...asked]),
    stream: options.stream,
    keep,
  })
}

async function startOf(api: ApiConnection, known: Conversation | null, options: ChatOptions): Promise<Question> {
  const others = (known?.messages ?? []).filter(({ role }) => options.system === undefined || role !== 'system')
  const system: readonly ChatMessage[] =
    options.system === undefined ? [] : [{ role: 'system', content: options.system }]
  return {
    model: options.model ?? known?.model ?? api.settings.model ?? DEFAULT_MODEL,
    messages: [...system, ...others],
    maxTokens: options.maxTokens ?? null,
    temperature: options.temperature ?? null,
    schema: options.schema === undefined ? null : await readSchema(options.schema),
    tools: options.tools === undefined ? (known?.tools ?? []) : await readTools(options.tools),
  }
}

/** @throws {CommandError} when one is of no call that waits, or a call still waits: no model goes on then. */
function resultsFor(messages: readonly ChatMessage[], given: readonly string[]): readonly ChatMessage[] {
  const waiting = new Set(openCalls(messages).map(({ id }) => id))
  const results = given.map((each) => {
    const at = each.indexOf('=')
    const id = at === -1 ? each : each.slice(0, at)
    if (at !== -1 && waiting.delete(id)) return toolResult(id, each.slice(at + 1))
    throw new CommandError(`No call "${id}" waits for a result.`, {
      advice: 'Write --tool-result ID=TEXT, with an id that the answer before has printed, and -c.',
      exitCode: exitCodes.wrongUsage,
    })
  })
  const [left] = waiting
  if (left === undefined) return results
  throw new CommandError(`The model waits for the result of its call ${left}.`, {
    advice: `Give it: svc chat -c --tool-result ${left}=TEXT`,
    exitCode: exitCodes.wrongUsage,
  })
}

async function converse(
  context: Context,
  api: ApiConnection,
  { start, keep }: { readonly start: Question; readonly keep: Keep },
): Promise<void> {
  if (!context.terminal.isInteractive || !context.terminal.out.isTerminal || context.options.quote === true) {
    throw new CommandError('There is no prompt.', {
      advice: 'Give one: svc chat "…", or pipe a text into it.',
      exitCode: exitCodes.wrongUsage,
    })
  }
  const { startSession } = await import('../chat/start-session.ts')
  await startSession(context, api, { start, keep })
}
