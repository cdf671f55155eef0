import { expect, test } from 'vitest'
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
  ['empty data', 'data\n\ndata:\n\n', ['', '']],
])('the same events at every cut: %s', (_name, text, expected) => {
  for (const chunks of cuts(text)) expect(decode(chunks)).toEqual(expected)
})

test('comments alone make no event', () => {
  expect(decode([Buffer.from(': PROCESSING\n\n: PROCESSING\n\n')])).toEqual([])
})
