/** Reads a response as strict clients do. Source: OpenAI's API reference, responses and their streaming events. */
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
  type ReadCall,
  type Reading,
  record,
  records,
  text,
  UnreadableError,
} from './reading.ts'

function usageIn(value: Json): readonly [number, number] {
  const usage = record(value['usage'], 'usage')
  const [given, made] = [count(usage['input_tokens'], 'tokens of input'), count(usage['output_tokens'], 'of output')]
  must(usage['total_tokens'] === given + made, 'the total is no sum', usage)
  count(record(usage['input_tokens_details'], 'details')['cached_tokens'], 'tokens that were read')
  count(record(usage['output_tokens_details'], 'details')['reasoning_tokens'], 'tokens of reasoning')
  return [given, made]
}

function checkHead(value: Json, model: string): void {
  must(name(value['id'], 'the id').startsWith('resp_'), 'the id is another', value['id'])
  must(value['object'] === 'response', 'this is no response', value['object'])
  count(value['created_at'], 'the time')
  must(value['model'] === model, 'the model is another', value['model'])
}

function readItems(items: readonly Json[], isWhole: boolean): Pick<Reading, 'text' | 'reasoning' | 'calls'> {
  const said = { text: '', reasoning: '' }
  const calls: ReadCall[] = []
  const ids = new Set<string>()
  for (const item of items) {
    ids.add(name(item['id'], 'the id of an item'))
    if (item['type'] === 'message') {
      must(item['role'] === 'assistant', 'somebody else speaks', item)
      for (const part of records(item['content'], 'the content')) {
        must(part['type'] === 'output_text', 'a part is of another type', part)
        records(part['annotations'], 'the annotations')
        said.text += text(part['text'], 'the text')
      }
    } else if (item['type'] === 'reasoning') {
      for (const part of records(item['summary'], 'the summary')) said.reasoning += text(part['text'], 'the text')
    } else {
      must(item['type'] === 'function_call', 'an item is of an unknown type', item)
      const given = text(item['arguments'], 'an input')
      if (isWhole) input(given, 'an input')
      calls.push({ id: name(item['call_id'], 'an id'), name: name(item['name'], 'a name'), input: given })
    }
  }
  must(ids.size === items.length, 'two items have one id', items)
  return { ...said, calls: checkCalls(calls) }
}

function finishIn(value: Json, calls: readonly ReadCall[]): string {
  if (value['status'] === 'completed') {
    must(value['incomplete_details'] === null, 'a completed response is incomplete', value['incomplete_details'])
    return calls.length > 0 ? 'tool_calls' : 'stop'
  }
  must(value['status'] === 'incomplete', 'the end is unknown', value['status'])
  const { reason } = record(value['incomplete_details'], 'why it is incomplete')
  must(reason === 'max_output_tokens' || reason === 'content_filter', 'the reason is unknown', reason)
  return reason === 'content_filter' ? reason : 'length'
}

/** Reads a whole answer. */
export function readWholeResponse(body: string, model: string): Reading {
  const value = parse(body)
  return readWhole(value, model, creditsIn(value))
}

function readWhole(value: Json, model: string, credits: number): Reading {
  checkHead(value, model)
  must(value['error'] === null, 'a response that did not fail has an error', value['error'])
  const read = readItems(records(value['output'], 'the output'), value['status'] === 'completed')
  return { ends: 'whole', ...read, finish: finishIn(value, read.calls), usage: usageIn(value), credits }
}

/** What the events say of the items, compared with what the items say at their ends. */
class Items {
  readonly done: Json[] = []
  readonly #open = new Map<number, { readonly id: string; said: string }>()
  #count = 0

  get areAllDone(): boolean {
    return this.#open.size === 0
  }

  added(event: Json): void {
    const item = record(event['item'], 'the item')
    must(event['output_index'] === this.#count, 'the place of an item is another', event)
    must(item['status'] === 'in_progress', 'an item begins otherwise', item)
    this.#open.set(this.#count++, { id: name(item['id'], 'the id of an item'), said: '' })
  }

  #of(event: Json): { readonly id: string; said: string } {
    const open = this.#open.get(event['output_index'] as number)
    must(open !== undefined && open.id === event['item_id'], 'an event belongs to no open item', event)
    return open
  }

  delta(event: Json): void {
    this.#of(event).said += text(event['delta'], 'the delta')
  }

  /** @param member that has all of the text. */
  ended(event: Json, member: string): void {
    const { said } = this.#of(event)
    must(said.endsWith(text(event[member], member)), 'the end of a text is not what its pieces were', event)
  }

  closed(event: Json): void {
    const item = record(event['item'], 'the item')
    const place = event['output_index'] as number
    const open = this.#open.get(place)
    must(open?.id === item['id'], 'an item ends that is not open', event)
    must(item['status'] !== 'in_progress', 'an item that has ended is in progress', item)
    this.#open.delete(place)
    this.done[place] = item
  }
}

const ENDS = new Set(['response.completed', 'response.incomplete', 'response.failed'])

/** Reads a stream to its end. */
export function readStreamedResponse(body: string, model: string): Reading {
  const items = new Items()
  let error: Json | null = null
  const events = eventsIn(body)
  for (const [at, event] of events.entries()) {
    const value = parse(event.data)
    const type = event.name ?? ''
    must(type === value['type'], 'an event is named otherwise than its type', event)
    must(value['sequence_number'] === at, 'an event is left out', value)
    must(at !== 0 || type === 'response.created', 'the start is not at the start', type)
    if (ENDS.has(type)) {
      must(at === events.length - 1, 'the stream goes on behind its end')
      must((error !== null) === (type === 'response.failed'), 'an error has another end', type)
      return end({ type, value, items, model })
    }
    must(error === null || type.endsWith('.done'), 'something begins behind an error', value)
    if (type === 'error') {
      error = value
      checkError({ type: 'error', ...value })
    } else if (type === 'response.output_item.added') items.added(value)
    else if (type === 'response.output_item.done') items.closed(value)
    else if (type.endsWith('.delta')) items.delta(value)
    else if (type.endsWith('text.done')) items.ended(value, 'text')
    else if (type === 'response.function_call_arguments.done') items.ended(value, 'arguments')
  }
  throw new UnreadableError('the stream has no end')
}

interface LastEvent {
  readonly type: string
  readonly value: Json
  readonly items: Items
  readonly model: string
}

function end({ type, value, items, model }: LastEvent): Reading {
  const response = record(value['response'], 'the response')
  must(items.areAllDone, 'an item has no end')
  const output = records(response['output'], 'the output')
  must(JSON.stringify(output) === JSON.stringify(items.done), 'the output is not what the items were', output)
  must(type === `response.${String(response['status'])}`, 'the end and the status differ', response['status'])
  if (type !== 'response.failed') return readWhole(response, model, creditsIn(value))
  checkHead(response, model)
  const failure = record(response['error'], 'the error')
  name(failure['code'], 'the code of an error')
  name(failure['message'], 'the message of an error')
  return { ...FAILED, ...readItems(output, false), ends: 'failed' }
}
