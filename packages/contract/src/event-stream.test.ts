import { expect, test } from 'vitest'
import { readEventData } from './event-stream.ts'

async function* inPieces(bytes: Uint8Array, cut: number): AsyncGenerator<Uint8Array> {
  yield bytes.slice(0, cut)
  yield bytes.slice(cut)
}

test('events come out whole wherever the bytes are cut', async () => {
  const text =
    ': comment\n\nevent: x\ndata: {"text":"好🙂"}\r\n\r\ndata:one\r\ndata: two\r\n\r\nid: 5\n\ndata: [DONE]\n\n'
  const bytes = new TextEncoder().encode(text)
  for (let cut = 0; cut <= bytes.length; cut += 1) {
    const data = await Array.fromAsync(readEventData(inPieces(bytes, cut)))
    expect(data, `cut at ${cut}`).toEqual(['{"text":"好🙂"}', 'one\ntwo', '[DONE]'])
  }
})

test('an event without its empty line is not delivered', async () => {
  expect(await Array.fromAsync(readEventData(inPieces(new TextEncoder().encode('data: half'), 3)))).toEqual([])
})
