/** Reads a message as strict clients do. Source: Anthropic's API reference, messages and their streams. */
import {
  checkCalls,
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

const finishes: Readonly<Record<string, string>> = {
  end_turn: 'stop',
  tool_use: 'tool_calls',
  max_tokens: 'length',
  refusal: 'content_filter',
}

function usageIn(value: Json): readonly [number, number] {
  const usage = record(value['usage'], 'usage')
  const cached = count(usage['cache_read_input_tokens'], 'tokens that were read')
  const written = count(usage['cache_creation_input_tokens'], 'tokens that were written')
  const others = count(usage['input_tokens'], 'tokens of input')
  return [others + cached + written, count(usage['output_tokens'], 'tokens of output')]
}

function finishIn(value: unknown): string {
  const finish = finishes[text(value, 'the end')]
  must(finish !== undefined, 'the end is unknown', value)
  return finish
}

function checkHead(value: Json, model: string): void {
  must(name(value['id'], 'the id').startsWith('msg_'), 'the id is another', value['id'])
  must(value['type'] === 'message' && value['role'] === 'assistant', 'this is no message of the assistant', value)
  must(value['model'] === model, 'the model is another', value['model'])
  must(value['stop_sequence'] === null, 'there was a stop', value['stop_sequence'])
}

/** The kind of a block that only this gateway reads; its data go back as they came. */
const isSealed = (block: Json): boolean => block['type'] === 'redacted_thinking'

function readBlocks(blocks: readonly Json[]): Pick<Reading, 'text' | 'reasoning' | 'calls'> {
  const said = { text: '', reasoning: '' }
  const calls: ReadCall[] = []
  for (const block of blocks) {
    if (block['type'] === 'text') said.text += name(block['text'], 'the text of a block')
    else if (block['type'] === 'thinking') {
      said.reasoning += text(block['thinking'], 'the thinking of a block')
      text(block['signature'], 'the signature of a block')
    } else if (isSealed(block)) name(block['data'], 'the data of a block')
    else {
      must(block['type'] === 'tool_use', 'a block is of an unknown type', block)
      const given = JSON.stringify(record(block['input'], 'an input'))
      calls.push({ id: name(block['id'], 'an id'), name: name(block['name'], 'a name'), input: given })
    }
  }
  return { ...said, calls: checkCalls(calls) }
}

/** Reads a whole answer. */
export function readWholeMessage(body: string, model: string): Reading {
  const value = parse(body)
  checkHead(value, model)
  return {
    ends: 'whole',
    ...readBlocks(records(value['content'], 'the content')),
    finish: finishIn(value['stop_reason']),
    usage: usageIn(value),
    credits: creditsIn(value),
  }
}

const deltas: Readonly<Record<string, readonly [kind: string, member: string]>> = {
  text_delta: ['text', 'text'],
  thinking_delta: ['thinking', 'thinking'],
  signature_delta: ['thinking', 'signature'],
  input_json_delta: ['tool_use', 'partial_json'],
}

/** Blocks as they are put together: one after the other, each begun and ended. */
class Blocks {
  readonly all: Record<string, unknown>[] = []
  #isOpen = false

  start(index: unknown, block: Json): void {
    must(!this.#isOpen, 'a block begins within another', block)
    must(index === this.all.length, 'the number of a block is another', index)
    if (block['type'] === 'tool_use') must(JSON.stringify(block['input']) === '{}', 'an input comes at once', block)
    this.all.push(block['type'] === 'tool_use' ? { ...block, input: '' } : { ...block })
    this.#isOpen = true
  }

  delta(index: unknown, delta: Json): void {
    const block = this.all.at(-1)
    must(this.#isOpen && index === this.all.length - 1 && block !== undefined, 'a delta has no block', delta)
    const [kind, member = ''] = deltas[text(delta['type'], 'a delta')] ?? []
    must(block['type'] === kind, 'a delta is of another kind than its block', delta)
    const into = member === 'partial_json' ? 'input' : member
    block[into] = text(block[into], into) + text(delta[member], member)
  }

  stop(index: unknown): void {
    must(this.#isOpen && index === this.all.length - 1, 'a block ends that is not open', index)
    this.#isOpen = false
  }

  /** @param isWhole whether the inputs of calls are all there. */
  read(isWhole: boolean): Pick<Reading, 'text' | 'reasoning' | 'calls'> {
    must(!isWhole || !this.#isOpen, 'a block has no end')
    const whole = this.all.map((block): Record<string, unknown> => {
      if (block['type'] !== 'tool_use') return block
      const given = text(block['input'], 'an input')
      return { ...block, input: isWhole ? JSON.parse(input(given === '' ? '{}' : given, 'an input')) : {} }
    })
    const read = readBlocks(isWhole ? whole : whole.filter((block) => block['text'] !== ''))
    // Numbers keep their digits.
    const inputs = this.all.filter((block) => block['type'] === 'tool_use').map((block) => String(block['input']))
    return { ...read, calls: read.calls.map((call, at) => ({ ...call, input: inputs[at] || (isWhole ? '{}' : '') })) }
  }
}

/** Reads a stream to its end. */
export function readStreamedMessage(body: string, model: string): Reading {
  const blocks = new Blocks()
  let end: Pick<Reading, 'finish' | 'usage' | 'credits'> | null = null
  const events = eventsIn(body)
  for (const [at, event] of events.entries()) {
    const value = parse(event.data)
    must(event.name !== null && event.name === value['type'], 'an event is named otherwise than its type', event)
    must(
      (at === 0) === (event.name === 'message_start') || event.name === 'error',
      'the start is not at the start',
      event,
    )
    const isLast = at === events.length - 1
    switch (event.name) {
      case 'error': {
        const error = record(value['error'], 'the error')
        name(error['type'], 'the type of an error')
        name(error['message'], 'the message of an error')
        must(isLast, 'the stream goes on behind an error')
        return { ...FAILED, ...blocks.read(false), ends: 'failed' }
      }
      case 'message_start':
        checkHead(record(value['message'], 'the message'), model)
        break
      case 'ping':
        break
      case 'content_block_start':
        blocks.start(value['index'], record(value['content_block'], 'the block'))
        break
      case 'content_block_delta':
        blocks.delta(value['index'], record(value['delta'], 'the delta'))
        break
      case 'content_block_stop':
        blocks.stop(value['index'])
        break
      case 'message_delta':
        must(end === null, 'the answer ends twice')
        end = {
          finish: finishIn(record(value['delta'], 'the delta')['stop_reason']),
          usage: usageIn(value),
          credits: creditsIn(value),
        }
        break
      default:
        must(event.name === 'message_stop' && isLast && end !== null, 'this event is unknown, or here', event)
        return { ends: 'whole', ...blocks.read(true), ...(end as NonNullable<typeof end>) }
    }
  }
  throw new UnreadableError('the stream has no end')
}
