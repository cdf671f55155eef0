/** Server-sent events as a hostile upstream writes them: right ones changed, in every encoding, line end and size. */
import fc from 'fast-check'
import { nth, weighted } from './draw.ts'
import { changes } from './strange-values.ts'

const BIG = 'x'.repeat(200_000)

/** The name that events of some dialects carry beside their data. */
function nameOf(event: unknown): string {
  const type: unknown = Reflect.get(Object(event), 'type')
  return typeof type === 'string' ? `event: ${type}\n` : ''
}

/** The first text of a value made huge: a piece that is larger than a reader expects. */
function inflated(event: unknown): string {
  return JSON.stringify(event).replace(/:"[A-Z][^"]*"/, `:"${BIG}"`)
}

const noText = Buffer.concat([Buffer.from('data: "'), Buffer.from([0xff, 0xfe, 0x00, 0xc0]), Buffer.from('"')])

const NO_JSON = ['', 'null', '[]', '{}', '0', '{', '[DONE', '"x"']
const NO_EVENTS = ['\ufeff', '\n\n\n', '\r', 'data', 'data\n\n', 'foo: bar\n\n', '\u0000\n\n']

/** Writes one event, or something else where one is due. `data` is its JSON, changed; a number decides the rest. */
type Writing = (event: unknown, data: string, at: number) => string | Buffer

const usual = (event: unknown, data: string): string => `${nameOf(event)}data: ${data}`

const odd = fc.constantFrom<Writing[]>(
  (_event, _data, at) => `: ${'comment '.repeat(at % 50)}`,
  (_event, data, at) => `event: ${nth(['error', 'message', 'x'], at)}\nid: 1\nretry: 0\ndata: ${data}`,
  (_event, data) => `data:${data}`,
  (_event, data) => `data: ${data.replaceAll(',', ',\ndata: ')}`,
  () => noText,
  (_event, _data, at) => `data: ${nth(NO_JSON, at)}`,
  (_event, _data, at) => nth(NO_EVENTS, at),
  (event) => `data: ${inflated(event)}`,
  () => 'data: [DONE]',
)

/** Writes an event as a hostile upstream does; shrinks to the event itself. */
const hostileEvent: fc.Arbitrary<(event: unknown) => Buffer> = fc
  .record({
    writing: weighted([1, fc.constant<Writing>(usual)], [1, odd]),
    at: fc.nat(),
    change: changes(4),
    end: fc.constantFrom('\n\n', '\n\n', '\r\n\r\n', '\r\r', '\n'),
  })
  .map(({ writing, at, change, end }) => (event) => {
    const written = writing(event, JSON.stringify(change(event)) ?? 'null', at)
    return Buffer.concat([Buffer.from(written), Buffer.from(end)])
  })

/** Events with the way in which each is written. */
type Frames = readonly (readonly [unknown, (event: unknown) => Buffer])[]

function inOrder(events: readonly unknown[]): fc.Arbitrary<Frames> {
  const lost = fc.subarray([...events.keys()], { maxLength: Math.min(3, events.length) })
  const writings = fc.array(hostileEvent, { minLength: events.length, maxLength: events.length })
  return fc
    .tuple(lost, writings)
    .map(([gone, ways]) => ways.flatMap((way, at) => (gone.includes(at) ? [] : [[events[at], way] as const])))
}

/** The events in their order, some of them left out, or doubled and from elsewhere in the stream. */
export function hostileStream(events: readonly unknown[]): fc.Arbitrary<Buffer> {
  const anyhow: fc.Arbitrary<Frames> = fc.array(fc.tuple(fc.constantFrom(...events), hostileEvent), { maxLength: 60 })
  const frames = weighted([2, inOrder(events)], [1, anyhow])
  // The ends of the dialects; the last of their events may be an error, and is left out.
  const proper = events.slice(-4, -1).map((event) => `${usual(event, JSON.stringify(event))}\n\n`)
  return fc
    .tuple(frames, fc.constantFrom('', `${proper.join('')}data: [DONE]\n\n`))
    .map(([written, end]) => Buffer.concat([...written.map(([event, way]) => way(event)), Buffer.from(end)]))
}
