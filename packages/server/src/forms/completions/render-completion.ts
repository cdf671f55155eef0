/** A whole chat answer as a text completion. Pure. */
import { type CompletionRequest, parseJsonToPrint } from '@svc/contract'
import { extrasOf } from '../../upstreams/openai-compatible/answer-extras.ts'
import { countOf, recordOf, recordsOf } from '../translated-chat.ts'
import { echoOf, endOf, headOf, lengthOf, logprobsIn, besideText, stopOf, textIn } from './completion-object.ts'

type Fields = Readonly<Record<string, unknown>>

function choiceOf(request: CompletionRequest, choice: Fields): Fields {
  const index = countOf(choice['index'])
  const message = recordOf(choice['message'])
  const echo = echoOf(request, index)
  return {
    index,
    text: `${echo}${textIn(message)}`,
    finish_reason: endOf(choice['finish_reason']),
    logprobs: logprobsIn(choice['logprobs'], lengthOf(echo)),
    ...stopOf(choice),
    ...besideText(message),
    // Of several prompts: each has sources of its own.
    ...extrasOf(choice),
  }
}

/** Writes a chat completion as a text completion. @returns JSON text with the charge in `svc`. */
export function renderCompletion(request: CompletionRequest, json: string): string {
  const chat = recordOf(parseJsonToPrint(json))
  const choices = recordsOf(chat['choices']).map((choice) => choiceOf(request, choice))
  return JSON.stringify({ ...headOf(chat), choices, usage: chat['usage'], ...extrasOf(chat), svc: chat['svc'] })
}

/** The same as the events of a stream, each choice in one. */
export function renderCompletionEvents(request: CompletionRequest, json: string): string {
  const chat = recordOf(parseJsonToPrint(json))
  const head = headOf(chat)
  const withUsage = request.stream_options?.include_usage === true
  const { svc } = chat
  const chunks = recordsOf(chat['choices']).map((choice, place, { length }) => {
    const isLast = place === length - 1 && !withUsage
    const end = withUsage ? { usage: null } : isLast ? { ...extrasOf(chat), svc } : {}
    return { ...head, choices: [choiceOf(request, choice)], ...end }
  })
  const last = withUsage ? [{ ...head, choices: [], usage: chat['usage'], ...extrasOf(chat), svc }] : []
  return `${[...chunks, ...last].map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('')}data: [DONE]\n\n`
}
