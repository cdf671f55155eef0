/** The events of a streamed text completion, made from the frames of a chat. Source: as `completion-object.ts`. */
import type { CompletionRequest } from '@svc/contract'
import { extrasOf, hasExtras } from '../../upstreams/openai-compatible/answer-extras.ts'
import { type ChatFrame, countOf, type FrameTranslator, recordOf, recordsOf } from '../translated-chat.ts'
import { echoOf, endOf, headOf, lengthOf, logprobsIn, besideText, stopOf, textIn } from './completion-object.ts'

type Fields = Readonly<Record<string, unknown>>

const DONE = 'data: [DONE]\n\n'

function event(value: Fields): string {
  return `data: ${JSON.stringify(value)}\n\n`
}

/** Writes the events of one stream. */
export class CompletionFrames implements FrameTranslator {
  readonly #request: CompletionRequest
  /** Characters that each choice has had; it begins with the prompt where that is echoed. */
  readonly #lengths = new Map<number, number>()

  constructor(request: CompletionRequest) {
    this.#request = request
  }

  frame(frame: ChatFrame): string {
    if ('error' in frame) return `${event(frame)}${DONE}`
    const choices = recordsOf(frame['choices']).flatMap((choice) => this.#choice(choice) ?? [])
    const { usage, svc } = frame
    const more = {
      ...('usage' in frame ? { usage } : {}),
      ...extrasOf(frame),
      ...('svc' in frame ? { svc } : {}),
    }
    const isNeeded = choices.length > 0 || 'svc' in frame || hasExtras(frame) || (usage ?? null) !== null
    return isNeeded ? event({ ...headOf(frame), choices, ...more }) : ''
  }

  end(): string {
    return DONE
  }

  /** Null for a piece that says nothing, such as one with the role alone. */
  #choice(choice: Fields): Fields | null {
    const index = countOf(choice['index'])
    const delta = recordOf(choice['delta'])
    const before = this.#lengths.get(index)
    const echo = before === undefined ? echoOf(this.#request, index) : ''
    const made = textIn(delta)
    const text = `${echo}${made}`
    const end = endOf(choice['finish_reason'])
    const beside = besideText(delta)
    const offset = (before ?? 0) + lengthOf(echo)
    this.#lengths.set(index, offset + lengthOf(made))
    const logprobs = logprobsIn(choice['logprobs'], offset)
    if (text === '' && end === null && logprobs === null && Object.keys(beside).length === 0) return null
    return { index, text, finish_reason: end, logprobs, ...stopOf(choice), ...beside }
  }
}
