/** Ways in which a form goes wrong: in one of its parts, or in what holds them together. */
import fc from 'fast-check'
import { nth, weighted } from './draw.ts'
import { type FormPart, type RandomForm, textPart, writeForm } from './form-parts.ts'

/** Larger than any audio may be, by a little; sent now and then only. */
const TOO_LARGE = Buffer.alloc(26_214_400 + 1_000, 0x80)
/** Larger than the files of one form may be here. */
const LARGE = Buffer.alloc(400_000, 0x80)

const dispositions = [
  'content-disposition: form-data',
  'content-disposition: form-data; name=""',
  'content-disposition: form-data; name=file',
  'content-disposition: form-data; name="file"; name="model"',
  'content-disposition: attachment; filename="a.wav"',
  'content-disposition: form-data; name="file"; filename=""',
  'content-disposition: form-data; name="file"; filename="../../../etc/passwd"',
  'content-disposition: form-data; name="file"; filename="C:\\\\a\\\\b.wav"',
  'content-disposition: form-data; name="file"; filename="a\u0000.wav"',
  'content-disposition: form-data; name="fi\r\nx-injected: 1"; filename="a.wav"',
  'content-disposition: form-data; name="file"; filename="a\r\nx-injected: 1\r\n.wav"',
  'content-disposition: form-data; name="file"; filename="a%0d%0ax-injected: 1"',
  'content-disposition: form-data; name="file"; filename*=utf-8\'\'%0d%0aevil%00.wav',
  'content-disposition: form-data; name="file"; filename*=x\'\'%zz',
  'content-disposition: form-data; name="file"; filename="a.wav"; filename="b.png"',
  'content-disposition: form-data; name="__proto__"',
  'content-disposition: form-data; name="file; filename="a.wav"',
  'CONTENT-DISPOSITION:form-data;name="model"',
  'content-disposition',
  '',
]

const types = [
  'content-type: text/plain; charset=utf-16le',
  'content-type: text/plain; charset=nobody-knows',
  'content-type: application/json',
  'content-type: multipart/mixed; boundary=inner',
  'content-type: image/svg+xml',
  'content-type: audio/wav\r\ncontent-type: image/png',
  'content-type:',
  'content-transfer-encoding: base64',
  'content-transfer-encoding: quoted-printable',
  'content-length: 3',
  `x: ${'a'.repeat(20_000)}`,
  `${'x: y\r\n'.repeat(1_200)}x: z`,
  ': no name',
  'no colon',
  'folded: a\r\n b',
]

const inner = Buffer.from('--inner\r\ncontent-disposition: form-data; name="file"\r\n\r\nabc\r\n--inner--\r\n')

/** Spoils a thing in one way; a number decides what is left to decide. */
type Spoil<Thing> = (thing: Thing, at: number) => Thing

/** A way of spoiling, with its number. */
function numbered<Thing>(...ways: readonly Spoil<Thing>[]): fc.Arbitrary<(thing: Thing) => Thing> {
  return fc.tuple(fc.constantFrom(...ways), fc.noBias(fc.nat())).map(
    ([way, at]) =>
      (thing) =>
        way(thing, at),
  )
}

const edits = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 40 })

const editedContent = edits.map((all) => (content: Buffer) => {
  const edited = Buffer.from(content)
  for (const [at, byte] of all) if (edited.length > 0) edited[at % edited.length] = byte
  return edited
})

const otherContent = numbered<Buffer>(
  () => Buffer.alloc(0),
  (content, at) => content.subarray(0, at % (content.length + 1)),
  (content) => Buffer.from(content.toString('base64')),
  () => inner,
  () => Buffer.from('not a file'),
  (content) => Buffer.concat([content, Buffer.from('\r\n--'), content]),
  (_content, at) => Buffer.from(`\ufeff${'é'.repeat(nth([1, 2_000], at))}`),
  (_content, at) => (at % 25 === 1 ? TOO_LARGE : LARGE),
  (content) => Buffer.concat([Buffer.from([0xff, 0xfe, 0]), content]),
)

const otherHeaders = numbered<readonly string[]>(
  ([, ...rest], at) => [nth(dispositions, at), ...rest],
  ([disposition = ''], at) => [disposition, nth(types, at)],
  ([disposition = '', ...rest], at) => nth([[], rest, [...rest, disposition], [disposition, disposition]], at),
)

const spoiledPart = weighted(
  [
    12,
    otherHeaders.map((change) => ({ headers, content }: FormPart) => ({ headers: change(headers), content })),
  ],
  [
    4,
    weighted([9, otherContent], [5, editedContent]).map((change) => ({ headers, content }: FormPart) => ({
      ...{ headers, content: change(content) },
    })),
  ],
)

const spoiledList = numbered<readonly FormPart[]>(
  (parts, at) => parts.toSpliced(at % parts.length, 1),
  (parts, at) => (parts.length === 0 ? [] : [nth(parts, at), ...parts]),
  () => [],
  (parts, at) => [
    ...parts,
    ...Array.from({ length: nth([3, 150, 1_500], at) }, (_, each) => textPart(`x${each}`, 'y')),
  ],
  (parts, at) => [...parts, textPart('x'.repeat(nth([100, 5_000], at)), 'y'.repeat(nth([1, 40_000, 300_000], at)))],
)

/** Parts changed, missing, doubled, or too many. */
export const spoiledParts: fc.Arbitrary<(parts: readonly FormPart[]) => readonly FormPart[]> = weighted(
  [1, spoiledList],
  [
    1,
    fc.tuple(spoiledPart, fc.nat()).map(([spoil, at]) => (parts: readonly FormPart[]) => {
      return parts.length === 0 ? [] : parts.with(at % parts.length, spoil(nth(parts, at)))
    }),
  ],
)

const otherTypes = ['multipart/mixed', 'Multipart/Form-Data', 'application/x-www-form-urlencoded']
const boundaries = ['', '"', ' ', 'a'.repeat(71), 'a'.repeat(5_000), 'a b', 'a\u00e9', '-', '--', 'a;b', 'a"b']

/** The content type of a form, and how its bytes are changed. */
interface Frame {
  readonly type?: string
  readonly between?: string
  readonly change?: (bytes: Buffer) => Buffer
  readonly reword?: (text: string) => string
}

/** Makes a frame that is wrong, or right in an unusual way; a number decides what is left to decide. */
type MakeFrame = (boundary: string, at: number) => Frame

const frames: readonly MakeFrame[] = [
  () => ({ type: 'multipart/form-data' }),
  (boundary) => ({ type: `multipart/form-data; boundary=${boundary}; boundary=other` }),
  (boundary) => ({ type: `multipart/form-data; boundary=other${boundary}` }),
  (_boundary, at) => ({ between: nth(boundaries, at) }),
  (boundary) => ({ type: `multipart/form-data; charset=utf-7; boundary="${boundary}"` }),
  (boundary, at) => ({ type: `${nth(otherTypes, at)}; boundary=${boundary}` }),
  (boundary) => ({ change: (bytes) => bytes.subarray(0, Math.max(0, bytes.length - boundary.length - 6)) }),
  (_boundary, at) => ({ change: (bytes) => bytes.subarray(0, at % (bytes.length + 1)) }),
  (_boundary, at) => ({
    change: (bytes) => Buffer.concat([Buffer.from('preamble\r\n'.repeat(nth([1, 2_000], at))), bytes, bytes]),
  }),
  () => ({ reword: (text) => text.replaceAll('\r\n', '\n') }),
  (boundary) => ({ reword: (text) => text.replaceAll(boundary, `${boundary} \t`) }),
  (boundary) => ({ reword: (text) => `${text}--${boundary}\r\n\r\nlate\r\n--${boundary}--` }),
  (boundary) => ({ reword: (text) => text.replaceAll(`--${boundary}`, `--${boundary}\r\n--${boundary}`) }),
  (boundary, at) => ({ reword: () => nth(['', '--', `--${boundary}`, `--${boundary}--`, '{}'], at) }),
]

/** Writes parts in such a frame. */
export const spoiledForm: fc.Arbitrary<(parts: readonly FormPart[], boundary: string) => RandomForm> = fc
  .tuple(fc.constantFrom(...frames), fc.nat())
  .map(([make, at]) => (parts, boundary) => {
    const frame = make(boundary, at)
    const { between = boundary, type = `multipart/form-data; boundary=${between}` } = frame
    const { change = (bytes) => bytes, reword = (text) => text } = frame
    const bytes = change(writeForm(parts, between))
    return { type, bytes: Buffer.from(reword(bytes.toString('latin1')), 'latin1') }
  })
