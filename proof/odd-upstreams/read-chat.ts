/** Reads a chat as strict clients do. Sources: OpenAI's API reference, the chat completion object and its chunks. */
import {
  checkCalls,
  checkError,
  count,
  creditsIn,
  eventsIn,
  FAILED,
  input,
  type Json,
  must,
  name,
  parse,
  type Reading,
  record,
  records,
  text,
} from './reading.ts'

const FINISHES: ReadonlySet<unknown> = new Set(['stop', 'length', 'tool_calls', 'content_filter'])

function checkCommon(value: Json, object: string, model: string): void {
  name(value['id'], 'the id')
  must(value['object'] === object, 'the object is another', value['object'])
  count(value['created'], 'the time')
  must(value['model'] === model, 'the model is another', value['model'])
}

/** Tokens that an answer shows. */
export function usageIn(value: Json): readonly [number, number] {
  const usage = record(value['usage'], 'usage')
  const prompt = count(usage['prompt_tokens'], 'prompt tokens')
  const completion = count(usage['completion_tokens'], 'completion tokens')
  must(usage['total_tokens'] === prompt + completion, 'the total is no sum', usage)
  return [prompt, completion]
}

function optional(value: unknown, rule: string): string {
  return value === null || value === undefined ? '' : text(value, rule)
}

function onlyChoice(value: Json): Json {
  const choices = records(value['choices'], 'choices')
  must(choices.length === 1 && choices[0]?.['index'] === 0, 'there is not one choice', choices)
  return choices[0] as Json
}

/** Reads a whole answer. */
export function readWholeChat(body: string, model: string): Reading {
  const value = parse(body)
  checkCommon(value, 'chat.completion', model)
  const choice = onlyChoice(value)
  const message = record(choice['message'], 'the message')
  must(message['role'] === 'assistant', 'somebody else speaks', message['role'])
  must(FINISHES.has(choice['finish_reason']), 'the end is unknown', choice['finish_reason'])
  const calls = message['tool_calls'] === undefined ? [] : records(message['tool_calls'], 'calls')
  must(message['tool_calls'] === undefined || calls.length > 0, 'the calls are none')
  return {
    ends: 'whole',
    text: optional(message['content'], 'the content'),
    reasoning: optional(message['reasoning_content'], 'the reasoning'),
    calls: checkCalls(
      calls.map((call) => {
        must(call['type'] === 'function', 'a call has no type', call)
        const called = record(call['function'], 'what is called')
        const id = name(call['id'], 'an id')
        return {
          id,
          name: name(called['name'], 'a name'),
          input: input(text(called['arguments'], 'an input'), 'an input'),
        }
      }),
    ),
    finish: choice['finish_reason'] as string,
    usage: usageIn(value),
    credits: creditsIn(value),
  }
}

interface OpenCall {
  readonly id: string
  readonly name: string
  input: string
}

/** Puts the pieces of calls together by their number, as every client does. */
function addPieces(calls: OpenCall[], pieces: readonly Json[]): void {
  for (const piece of pieces) {
    const index = count(piece['index'], 'the number of a call')
    const called = record(piece['function'], 'what is called')
    const open = calls[index]
    if (open === undefined) {
      must(index === calls.length, 'a number is left out', piece)
      must(piece['type'] === 'function', 'a call begins without a type', piece)
      const began = { id: name(piece['id'], 'an id'), name: name(called['name'], 'a name') }
      calls.push({ ...began, input: text(called['arguments'], 'the input of a call that begins') })
      continue
    }
    must(piece['id'] === undefined, 'an id comes twice', piece)
    must(called['name'] === undefined, 'a name comes twice', piece)
    open.input += optional(called['arguments'], 'an input')
  }
}

/** Reads a stream to its end. @param withUsage whether it was asked to show usage. */
export function readStreamedChat(body: string, model: string, withUsage: boolean): Reading {
  const events = eventsIn(body)
  must(
    events.every((event) => event.name === null),
    'an event of a chat has a name',
  )
  must(events.at(-1)?.data === '[DONE]', 'the stream has no [DONE]', events.at(-1))
  const calls: OpenCall[] = []
  const said = { text: '', reasoning: '' }
  let finish: string | null = null
  let usage: Reading['usage'] = null
  let credits: number | null = null
  let hasRole = false
  for (const [at, { data }] of events.slice(0, -1).entries()) {
    const value = parse(data)
    if ('error' in value) {
      checkError(record(value['error'], 'the error'))
      must(at === events.length - 2, 'the stream goes on behind an error')
      must(finish === null, 'an answer has ended and failed')
      return { ...FAILED, ...said, calls, ends: 'failed' }
    }
    checkCommon(value, 'chat.completion.chunk', model)
    if ('svc' in value) credits = creditsIn(value)
    if (value['usage'] !== null && value['usage'] !== undefined) usage = usageIn(value)
    const choices = records(value['choices'], 'choices')
    if (choices.length === 0) continue
    const choice = onlyChoice(value)
    must(finish === null, 'something follows the end', choice)
    const delta = record(choice['delta'], 'the delta')
    must(hasRole || delta['role'] === 'assistant', 'the first chunk has no role', delta)
    hasRole = true
    said.text += optional(delta['content'], 'the content')
    said.reasoning += optional(delta['reasoning_content'], 'the reasoning')
    if (delta['tool_calls'] !== undefined) addPieces(calls, records(delta['tool_calls'], 'calls'))
    const reason = choice['finish_reason'] ?? null
    must(reason === null || FINISHES.has(reason), 'the end is unknown', reason)
    finish = reason as string | null
  }
  must(finish !== null, 'the answer has no end')
  must(credits !== null, 'the answer tells no charge')
  must(withUsage === (usage !== null), 'usage is shown where it was not asked for, or the other way round')
  for (const call of calls) if (finish !== 'length') input(call.input, 'an input')
  return { ends: 'whole', ...said, calls: checkCalls(calls), finish, usage, credits }
}
