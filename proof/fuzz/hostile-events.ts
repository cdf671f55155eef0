/** Server-sent events as a hostile upstream writes them: right ones changed, in every encoding, line end and size. */
import type { Random } from '../../packages/server/testing/random.ts'
import { mutate } from './strange-values.ts'

const BIG = 'x'.repeat(200_000)

/** A value with some of its places changed, as JSON text. */
export function mutated(value: unknown, random: Random): string {
  let changed = value
  for (let changes = random.pick([0, 1, 1, 1, 2, 4]); changes > 0; changes--) changed = mutate(changed, random)
  return JSON.stringify(changed) ?? 'null'
}

/** The name that events of some dialects carry beside their data. */
function nameOf(event: unknown): string {
  const type: unknown = Reflect.get(Object(event), 'type')
  return typeof type === 'string' ? `event: ${type}\n` : ''
}

/** The first text of a value made huge: a piece that is larger than anybody expects. */
function inflated(event: unknown): string {
  return JSON.stringify(event).replace(/:"[A-Z][^"]*"/, `:"${BIG}"`)
}

/** One event, or what stands where one is due. */
export function hostileEvent(event: unknown, random: Random): Buffer {
  const data = mutated(event, random)
  const end = random.pick(['\n\n', '\n\n', '\r\n\r\n', '\r\r', '\n'])
  switch (random.below(18)) {
    case 0:
      return Buffer.from(`: ${'comment '.repeat(random.below(50))}${end}`)
    case 1:
      return Buffer.from(`event: ${random.pick(['error', 'message', 'x'])}\nid: 1\nretry: 0\ndata: ${data}${end}`)
    case 2:
      return Buffer.from(`data:${data}${end}`)
    case 3:
      return Buffer.from(`data: ${data.replaceAll(',', ',\ndata: ')}${end}`)
    case 4:
      return Buffer.concat([Buffer.from('data: "'), Buffer.from([0xff, 0xfe, 0x00, 0xc0]), Buffer.from(`"${end}`)])
    case 5:
      return Buffer.from(`data: ${random.pick(['', 'null', '[]', '{}', '0', '{', '[DONE', '"x"'])}${end}`)
    case 6:
      return Buffer.from(random.pick(['\ufeff', '\n\n\n', '\r', 'data', 'data\n\n', 'foo: bar\n\n', '\u0000\n\n']))
    case 7:
      return Buffer.from(`data: ${inflated(event)}${end}`)
    case 8:
      return Buffer.from(`data: [DONE]${end}`)
    default:
      return Buffer.from(`${nameOf(event)}data: ${data}${end}`)
  }
}

/** The events in their order, some of them left out, doubled or from elsewhere in the stream. */
export function hostileStream(events: readonly unknown[], random: Random): Buffer {
  const isOrdered = random.below(3) > 0
  const count = random.pick([0, 1, 4, 12, 60])
  const chosen = isOrdered
    ? events.filter(() => random.below(8) > 0)
    : Array.from({ length: count }, () => random.pick(events, null))
  const frames = chosen.map((event) => hostileEvent(event, random))
  // The ends of the dialects; the last of their events may be an error, so that one stands before it.
  const proper = events.slice(-4, -1).map((event) => `${nameOf(event)}data: ${JSON.stringify(event)}\n\n`)
  const end = random.below(2) === 0 ? `${proper.join('')}data: [DONE]\n\n` : ''
  return Buffer.concat([...frames, Buffer.from(end)])
}
