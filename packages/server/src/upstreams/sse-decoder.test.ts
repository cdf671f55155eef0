import { expect, test } from 'vitest'
import { growthAboveLinear } from '../../testing/cpu-growth.ts'
import { SseDecoder } from './sse-decoder.ts'

function decode(chunks: readonly Buffer[]): string[] {
  const events: string[] = []
  const decoder = new SseDecoder((data) => events.push(data))
  for (const chunk of chunks) decoder.push(chunk)
  decoder.end()
  return events
}

/** Every way to cut the bytes into three reads. */
function* cuts(text: string): Generator<Buffer[]> {
  const bytes = Buffer.from(text)
  for (let first = 0; first <= bytes.length; first++) {
    for (let second = first; second <= bytes.length; second++) {
      yield [bytes.subarray(0, first), bytes.subarray(first, second), bytes.subarray(second)]
    }
  }
}

test.each([
  ['characters of several bytes', 'data: {"c":"好🙂"}\n\n', ['{"c":"好🙂"}']],
  ['CRLF, and an event of two data lines', 'data: {"a":1,\r\ndata: "b":2}\r\n\r\n', ['{"a":1,\n"b":2}']],
  ['CR alone', 'data: a\r\rdata: b\r\r', ['a', 'b']],
  ['no space after the colon', 'data:{"a":1}\n\ndata:[DONE]\n\n', ['{"a":1}', '[DONE]']],
  ['comments, other fields and a field without a colon', ': ping\n\nevent: x\nid: 7\ndata: a\nretry\n\n', ['a']],
  ['a last event without its blank line', 'data: a\n\ndata: b', ['a', 'b']],
  ['mixed line ends', 'data: a\r\n\ndata: b\n\r\ndata: c\r\n\r\n', ['a', 'b', 'c']],
  ['events without data, which are none', 'data\n\ndata: a\n\ndata:\n\n: \n\ndata: \n\ndata:b\n\n', ['a', 'b']],
  ['a byte order mark before everything', '\ufeffdata: a\n\ndata: \ufeffb\n\n', ['a', '\ufeffb']],
  ['a byte order mark alone', '\ufeff\n\n', []],
])('the same events at every cut: %s', (_name, text, expected) => {
  for (const chunks of cuts(text)) expect(decode(chunks)).toEqual(expected)
})

test('the name of an event comes with its data, and is gone with it', () => {
  const events: unknown[] = []
  const decoder = new SseDecoder((data, name) => events.push([data, name]))
  decoder.push(Buffer.from('event: ping\n\nevent: error\ndata: a\n\ndata: b\n\nevent:done\ndata:c\n\n'))
  expect(events).toEqual([
    ['a', 'error'],
    ['b', null],
    ['c', 'done'],
  ])
})

test('comments alone make no event', () => {
  expect(decode([Buffer.from(': PROCESSING\n\n: PROCESSING\n\n')])).toEqual([])
})

test.each([
  ['lines that end with CR', '\r'],
  ['lines that end with CR, and no LF', 'data: x\r'],
  ['lines that end with CRLF', 'data: x\r\n'],
  ['names', 'event: x\r'],
])('many %s take time that grows with their length alone', async (_what, line) => {
  const textOf = (length: number): string => line.repeat(length / line.length)
  const work = (text: string): void => new SseDecoder(() => undefined).push(Buffer.from(text))
  expect(await growthAboveLinear(262_144, textOf, work)).toBeNull()
})
