/** What strict readers of chats and of text completions share: parts of an answer, and a stream of chunks. */
import {
  checkError,
  count,
  creditsIn,
  eventsIn,
  type Json,
  must,
  parse,
  type Reading,
  record,
  records,
} from './reading.ts'

/** Tokens that an answer shows. */
export function usageIn(value: Json): readonly [number, number] {
  const usage = record(value['usage'], 'usage')
  const prompt = count(usage['prompt_tokens'], 'prompt tokens')
  const completion = count(usage['completion_tokens'], 'completion tokens')
  must(usage['total_tokens'] === prompt + completion, 'the total is no sum', usage)
  return [prompt, completion]
}

/** The one choice of an answer or of a chunk. */
export function onlyChoice(choices: readonly Json[]): Json {
  const [choice] = choices
  must(choice !== undefined && choices.length === 1 && choice['index'] === 0, 'there is not one choice', choices)
  return choice
}

/** How the chunks of a form are read. */
export interface ChunkForm {
  /** What the form is, for rules that are broken. */
  readonly what: string
  /** Ends that it has. */
  readonly finishes: ReadonlySet<unknown>
  /** Checks what is around the choices of a chunk. */
  readonly check: (value: Json) => void
  /** Takes what a choice says. */
  readonly take: (choice: Json) => void
}

/**
 * Reads a stream to its end.
 *
 * @param withUsage whether it was asked to show usage.
 * @returns how it ended; what was said is what the form has taken.
 */
export function readChunks(
  body: string,
  withUsage: boolean,
  { what, finishes, check, take }: ChunkForm,
): Pick<Reading, 'ends' | 'finish' | 'usage' | 'credits'> {
  const events = eventsIn(body)
  must(
    events.every((event) => event.name === null),
    `an event of a ${what} has a name`,
  )
  must(events.at(-1)?.data === '[DONE]', 'the stream has no [DONE]', events.at(-1))
  let finish: string | null = null
  let usage: Reading['usage'] = null
  let credits: number | null = null
  for (const [at, { data }] of events.slice(0, -1).entries()) {
    const value = parse(data)
    if ('error' in value) {
      checkError(record(value['error'], 'the error'))
      must(at === events.length - 2, 'the stream goes on behind an error')
      must(finish === null, 'an answer has ended and failed')
      return { ends: 'failed', finish: null, usage: null, credits: null }
    }
    check(value)
    if ('svc' in value) credits = creditsIn(value)
    if (value['usage'] !== null && value['usage'] !== undefined) usage = usageIn(value)
    const choices = records(value['choices'], 'choices')
    if (choices.length === 0) continue
    const choice = onlyChoice(choices)
    must(finish === null, 'something follows the end', choice)
    take(choice)
    const reason = choice['finish_reason'] ?? null
    must(reason === null || finishes.has(reason), 'the end is unknown', reason)
    finish = reason as string | null
  }
  must(finish !== null, 'the answer has no end')
  must(credits !== null, 'the answer tells no charge')
  must(withUsage === (usage !== null), 'usage is shown where it was not asked for, or the other way round')
  return { ends: 'whole', finish, usage, credits }
}
