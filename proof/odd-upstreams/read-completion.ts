/** Reads a text completion as strict clients do. Source: OpenAI's API reference, the completion object. */
import {
  checkError,
  count,
  creditsIn,
  eventsIn,
  FAILED,
  type Json,
  must,
  name,
  parse,
  type Reading,
  record,
  records,
  text,
} from './reading.ts'
import { usageIn } from './read-chat.ts'

const FINISHES: ReadonlySet<unknown> = new Set(['stop', 'length', 'content_filter'])

function checkCommon(value: Json, model: string): void {
  must(name(value['id'], 'the id').startsWith('cmpl-'), 'the id is that of something else', value['id'])
  must(value['object'] === 'text_completion', 'the object is another', value['object'])
  count(value['created'], 'the time')
  must(value['model'] === model, 'the model is another', value['model'])
}

/** The choices of an answer or of an event: all but the text may be left out of no one. */
function choiceIn(choices: readonly Json[]): Json {
  const [choice] = choices
  must(choices.length === 1 && choice?.['index'] === 0, 'there is not one choice', choices)
  must('finish_reason' in choice && 'logprobs' in choice, 'a choice lacks a part', choice)
  text(choice['text'], 'the text')
  return choice
}

const reasoningIn = ({ reasoning }: Json): string => (reasoning === undefined ? '' : text(reasoning, 'the reasoning'))

/** Reads a whole answer. */
export function readWholeCompletion(body: string, model: string): Reading {
  const value = parse(body)
  checkCommon(value, model)
  const choice = choiceIn(records(value['choices'], 'choices'))
  must(FINISHES.has(choice['finish_reason']), 'the end is unknown', choice['finish_reason'])
  return {
    ends: 'whole',
    text: choice['text'] as string,
    reasoning: reasoningIn(choice),
    calls: [],
    finish: choice['finish_reason'] as string,
    usage: usageIn(value),
    credits: creditsIn(value),
  }
}

/** Reads a stream to its end. @param withUsage whether it was asked to show usage. */
export function readStreamedCompletion(body: string, model: string, withUsage: boolean): Reading {
  const events = eventsIn(body)
  must(
    events.every((event) => event.name === null),
    'an event of a text has a name',
  )
  must(events.at(-1)?.data === '[DONE]', 'the stream has no [DONE]', events.at(-1))
  const said = { text: '', reasoning: '' }
  let finish: string | null = null
  let usage: Reading['usage'] = null
  let credits: number | null = null
  for (const [at, { data }] of events.slice(0, -1).entries()) {
    const value = parse(data)
    if ('error' in value) {
      checkError(record(value['error'], 'the error'))
      must(at === events.length - 2, 'the stream goes on behind an error')
      must(finish === null, 'an answer has ended and failed')
      return { ...FAILED, ...said, calls: [], ends: 'failed' }
    }
    checkCommon(value, model)
    if ('svc' in value) credits = creditsIn(value)
    if (value['usage'] !== null && value['usage'] !== undefined) usage = usageIn(value)
    const choices = records(value['choices'], 'choices')
    if (choices.length === 0) continue
    const choice = choiceIn(choices)
    must(finish === null, 'something follows the end', choice)
    said.text += choice['text'] as string
    said.reasoning += reasoningIn(choice)
    const reason = choice['finish_reason'] ?? null
    must(reason === null || FINISHES.has(reason), 'the end is unknown', reason)
    finish = reason as string | null
  }
  must(finish !== null, 'the answer has no end')
  must(credits !== null, 'the answer tells no charge')
  must(withUsage === (usage !== null), 'usage is shown where it was not asked for, or the other way round')
  return { ends: 'whole', ...said, calls: [], finish, usage, credits }
}
