/** Ways in which a form goes wrong: in one of its parts, or in what holds them together. */
import type { Random } from '../../packages/server/testing/random.ts'
import { type FormPart, type RandomForm, textPart, writeForm } from './form-parts.ts'

/** Larger than any sound may be, by a little; sent now and then only. */
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
] as const

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
] as const

const nested = Buffer.from('--inner\r\ncontent-disposition: form-data; name="file"\r\n\r\nabc\r\n--inner--\r\n')

function otherContent(content: Buffer, random: Random): Buffer {
  const at = random.below(content.length + 1)
  switch (random.below(14)) {
    case 0:
      return Buffer.alloc(0)
    case 1:
      return content.subarray(0, at)
    case 2:
      return Buffer.from(content.toString('base64'))
    case 3:
      return nested
    case 4:
      return Buffer.from('not a file')
    case 5:
      return Buffer.concat([content, Buffer.from('\r\n--'), content])
    case 6:
      return Buffer.from('\ufeff' + 'é'.repeat(random.pick([1, 2_000])), 'utf8')
    case 7:
      return random.below(25) === 0 ? TOO_LARGE : LARGE
    case 8:
      return Buffer.concat([Buffer.from([0xff, 0xfe, 0]), content])
    default: {
      const changed = Buffer.from(content)
      for (let changes = random.pick([1, 4, 40]); changes > 0 && changed.length > 0; changes--) {
        changed[random.below(changed.length)] = random.below(256)
      }
      return changed
    }
  }
}

function spoilPart({ headers, content }: FormPart, random: Random): FormPart {
  const [disposition = '', ...rest] = headers
  switch (random.below(4)) {
    case 0:
      return { headers: [random.pick(dispositions), ...rest], content }
    case 1:
      return { headers: [disposition, random.pick(types)], content }
    case 2:
      return { headers: random.pick([[], rest, [...rest, disposition], [disposition, disposition]]), content }
    default:
      return { headers, content: otherContent(content, random) }
  }
}

/** Parts changed, missing, doubled, or too many. */
export function spoilParts(parts: readonly FormPart[], random: Random): readonly FormPart[] {
  const at = random.below(Math.max(1, parts.length))
  const part = parts[at]
  if (part === undefined || random.below(12) === 0) return []
  switch (random.below(8)) {
    case 0:
      return parts.toSpliced(at, 1)
    case 1:
      return parts.toSpliced(random.below(parts.length + 1), 0, part)
    case 2:
      return [...parts, ...Array.from({ length: random.pick([3, 150, 1_500]) }, (_, each) => textPart(`x${each}`, 'y'))]
    case 3:
      return [...parts, textPart('x'.repeat(random.pick([100, 5_000])), 'y'.repeat(random.pick([1, 40_000, 300_000])))]
    default:
      return parts.with(at, spoilPart(part, random))
  }
}

const boundaries = ['', '"', ' ', 'a'.repeat(71), 'a'.repeat(5_000), 'a b', 'a\u00e9', '-', '--', 'a;b', 'a"b'] as const

/** A form whose frame is wrong, or right in an unusual way. */
export function spoilForm(parts: readonly FormPart[], boundary: string, random: Random): RandomForm {
  const bytes = writeForm(parts, boundary)
  const text = bytes.toString('latin1')
  const contentType = `multipart/form-data; boundary=${boundary}`
  const wrong = random.pick(boundaries)
  switch (random.below(14)) {
    case 0:
      return { contentType: 'multipart/form-data', bytes }
    case 1:
      return { contentType: `${contentType}; boundary=other`, bytes }
    case 2:
      return { contentType: `multipart/form-data; boundary=other${boundary}`, bytes }
    case 3:
      return { contentType: `multipart/form-data; boundary=${wrong}`, bytes: writeForm(parts, wrong) }
    case 4:
      return { contentType: `multipart/form-data; charset=utf-7; boundary="${boundary}"`, bytes }
    case 5:
      return {
        contentType:
          random.pick(['multipart/mixed', 'Multipart/Form-Data', 'application/x-www-form-urlencoded']) +
          `; boundary=${boundary}`,
        bytes,
      }
    case 6:
      return { contentType, bytes: bytes.subarray(0, Math.max(0, bytes.length - boundary.length - 6)) }
    case 7:
      return { contentType, bytes: bytes.subarray(0, random.below(bytes.length + 1)) }
    case 8:
      return { contentType, bytes: Buffer.from(text.replaceAll('\r\n', '\n'), 'latin1') }
    case 9:
      return { contentType, bytes: Buffer.from(text.replaceAll(boundary, `${boundary} \t`), 'latin1') }
    case 10:
      return {
        contentType,
        bytes: Buffer.concat([Buffer.from('preamble\r\n'.repeat(random.pick([1, 2_000]))), bytes, bytes]),
      }
    case 11:
      return { contentType, bytes: Buffer.concat([bytes, Buffer.from(`--${boundary}\r\n\r\nlate\r\n--${boundary}--`)]) }
    case 12:
      return {
        contentType,
        bytes: Buffer.from(text.replaceAll(`--${boundary}`, `--${boundary}\r\n--${boundary}`), 'latin1'),
      }
    default:
      return {
        contentType,
        bytes: Buffer.from(random.pick(['', '--', `--${boundary}`, `--${boundary}--`, '{}']), 'latin1'),
      }
  }
}
