/** Reads a chat as strict clients do. Sources: OpenAI's API reference, the chat completion object and its chunks. */
import { onlyChoice, readChunks, usageIn } from './read-chunks.ts'
import {
  checkCalls,
  count,
  creditsIn,
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

function optional(value: unknown, rule: string): string {
  return value === null || value === undefined ? '' : text(value, rule)
}

/** Reads a whole answer. */
export function readWholeChat(body: string, model: string): Reading {
  const value = parse(body)
  checkCommon(value, 'chat.completion', model)
  const choice = onlyChoice(records(value['choices'], 'choices'))
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
  const calls: OpenCall[] = []
  const said = { text: '', reasoning: '' }
  let hasRole = false
  const end = readChunks(body, withUsage, {
    ...{ what: 'chat', finishes: FINISHES },
    check: (value) => checkCommon(value, 'chat.completion.chunk', model),
    take: (choice) => {
      const delta = record(choice['delta'], 'the delta')
      must(hasRole || delta['role'] === 'assistant', 'the first chunk has no role', delta)
      hasRole = true
      said.text += optional(delta['content'], 'the content')
      said.reasoning += optional(delta['reasoning_content'], 'the reasoning')
      if (delta['tool_calls'] !== undefined) addPieces(calls, records(delta['tool_calls'], 'calls'))
    },
  })
  if (end.ends === 'failed') return { ...said, calls, ...end }
  for (const call of calls) if (end.finish !== 'length') input(call.input, 'an input')
  return { ...said, calls: checkCalls(calls), ...end }
}
