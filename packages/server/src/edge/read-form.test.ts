import { createHash, randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, request as openRequest, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createRandom } from '../../testing/random.ts'
import { openSpool, Spool } from '../platform/spool/spool.ts'
import { type Form, type FormLimits, readForm } from './read-form.ts'
import { eventually } from '../../testing/eventually.ts'

const LIMITS: FormLimits = { fileBytesMax: 300_000, filesMax: 1, stallMs: 60_000 }

interface Sent {
  readonly form: Promise<Form>
  readonly client: ReturnType<typeof openRequest>
}

let dataDir = ''
let spool: Spool
let server: Server
let port = 0
let onRequest: (request: IncomingMessage) => void = () => undefined
const open: Form[] = []

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'svc-form-'))
  spool = openSpool({ dataDir, limits: { uploadBytesInFlight: 2_000_000 } })
  server = createServer((request) => onRequest(request))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  port = typeof address === 'object' && address !== null ? address.port : 0
})
afterAll(() => {
  server.closeAllConnections()
  server.close()
  rmSync(dataDir, { recursive: true })
})
afterEach(async () => {
  await Promise.all(open.splice(0).map((form) => form.discard()))
  server.closeAllConnections()
  await eventually(() => {
    if (leftovers() !== 'nothing') throw new Error(leftovers())
  })
})

/** What uploads keep now: names in their folder, open files without a name, bytes. */
function leftovers(): string {
  const folder = join(dataDir, 'uploads')
  const links = process.platform === 'linux' ? readdirSync('/proc/self/fd') : []
  const targets = links.map((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`)
    } catch {
      return ''
    }
  })
  const names = readdirSync(folder)
  const files = targets.filter((target) => target.startsWith(folder))
  const { bytes, memoryBytes } = spool
  const isEmpty = names.length + files.length + bytes + memoryBytes === 0
  return isEmpty ? 'nothing' : JSON.stringify({ names, files, bytes, memoryBytes })
}

/** Begins a request whose body the test writes, and reads it as a form. */
async function begin(contentType: string | null, limits: Partial<FormLimits> = {}, from = spool): Promise<Sent> {
  const { promise, resolve } = Promise.withResolvers<IncomingMessage>()
  onRequest = resolve
  const headers = contentType === null ? {} : { 'content-type': contentType }
  const client = openRequest({ port, host: '127.0.0.1', method: 'POST', headers }).on('error', () => undefined)
  client.flushHeaders()
  const form = readForm(await promise, from, { ...LIMITS, ...limits })
  form.then(
    (read) => open.push(read),
    () => undefined,
  )
  return { form, client }
}

async function send(form: FormData, limits: Partial<FormLimits> = {}, from = spool): Promise<Form> {
  const encoded = new Response(form)
  const { form: read, client } = await begin(encoded.headers.get('content-type'), limits, from)
  client.end(Buffer.from(await encoded.arrayBuffer()))
  return read
}

async function sendText(text: string, contentType = 'multipart/form-data; boundary=x', limits = {}): Promise<Form> {
  const { form, client } = await begin(contentType, limits)
  client.end(text)
  return form
}

function part(headers: string, body: string): string {
  return `--x\r\n${headers}\r\n\r\n${body}\r\n`
}

function formOf(fields: readonly (readonly [string, string | File])[]): FormData {
  const form = new FormData()
  for (const [name, value] of fields) form.append(name, value)
  return form
}

function hash(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

async function contentOf(form: Form, index = 0): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of form.files[index]!.content.stream()) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

test.each([0, 1, 1_000, 131_072, 131_073, 300_000])('a file of %i bytes is kept whole', async (size) => {
  const bytes = randomBytes(size)
  const form = await send(formOf([['file', new File([bytes], 'a.wav', { type: 'audio/wav' })]]))
  expect(form.files).toHaveLength(1)
  expect(form.files[0]).toMatchObject({ name: 'file', filename: 'a.wav', contentType: 'audio/wav' })
  expect(hash(await contentOf(form))).toBe(hash(bytes))
  // Once more: a second upstream may have to be asked.
  expect(hash(await contentOf(form))).toBe(hash(bytes))
  expect(form.files[0]!.content.bytes.kind).toBe(size > 131_072 ? 'disk' : 'memory')
})

test('one byte more than a file may have is refused', async () => {
  const form = formOf([['file', new File([randomBytes(300_001)], 'a.wav')]])
  await expect(send(form)).rejects.toMatchObject({ code: 'request_too_large', param: 'file' })
})

// Case B104.
test('fields come in any order, also behind the file, and repeated ones keep theirs', async () => {
  const fields: [string, string | File][] = [
    ['include[]', 'logprobs'],
    ['timestamp_granularities[]', 'word'],
    ['file', new File([randomBytes(200_000)], 'ärger 声.ogg', { type: 'audio/ogg' })],
    ['timestamp_granularities[]', 'segment'],
    ['model', 'whisper-1'],
    ['prompt', 'Grüße, 世界 🙂'],
  ]
  const form = await send(formOf(fields))
  const expected = fields.filter(([, value]) => typeof value === 'string').map(([name, value]) => ({ name, value }))
  expect(form.fields).toEqual(expected)
  expect(form.files[0]).toMatchObject({ filename: 'ärger 声.ogg', contentType: 'audio/ogg' })
})

test('a quoted boundary with odd characters is understood', async () => {
  const body = part('content-disposition: form-data; name="model"', 'm').replaceAll('--x', "--a b'()+_,-./:=?c")
  const form = await sendText(
    `${body}--a b'()+_,-./:=?c--\r\n`,
    `Multipart/Form-Data; charset=utf-8; Boundary="a b'()+_,-./:=?c"`,
  )
  expect(form.fields).toEqual([{ name: 'model', value: 'm' }])
})

test.each(['klingon', 'utf-16le', 'base64', 'iso-8859-1', '"'])(
  'a field whose header names the character set %s is UTF-8 all the same',
  async (charset) => {
    const header = `content-disposition: form-data; name="prompt"\r\ncontent-type: text/plain; charset=${charset}`
    const form = await sendText(`${part(header, 'Grüße')}--x--\r\n`)
    expect(form.fields).toEqual([{ name: 'prompt', value: 'Grüße' }])
  },
)

test('a part without a file name is a file where its type says so', async () => {
  const header = 'content-disposition: form-data; name="file"\r\ncontent-type: application/octet-stream'
  const form = await sendText(`${part(header, 'abc')}--x--\r\n`)
  expect(form.files[0]).toMatchObject({ name: 'file', filename: null })
})

test('a path in a file name is cut off, and no name can be a way out', async () => {
  const header = 'content-disposition: form-data; name="file"; filename="../../etc/passwd"'
  const form = await sendText(`${part(header, 'abc')}--x--\r\n`)
  expect(form.files[0]!.filename).toBe('passwd')
})

test.each([
  ['no content type', null, '', 'unsupported_media_type'],
  ['another content type', 'application/json', '{}', 'unsupported_media_type'],
  ['a type that only begins alike', 'multipart/form-data-x; boundary=x', '', 'unsupported_media_type'],
  ['no boundary', 'multipart/form-data', '', 'invalid_form'],
  ['nothing at all', 'multipart/form-data; boundary=x', '', 'invalid_form'],
  ['no boundary in the body', 'multipart/form-data; boundary=x', 'abc', 'invalid_form'],
  [
    'a part without a name',
    'multipart/form-data; boundary=x',
    `${part('content-disposition: form-data', 'a')}--x--`,
    'invalid_form',
  ],
  [
    'an empty name',
    'multipart/form-data; boundary=x',
    `${part('content-disposition: form-data; name=""', 'a')}--x--`,
    'invalid_form',
  ],
  [
    'an end that is missing',
    'multipart/form-data; boundary=x',
    part('content-disposition: form-data; name="model"', 'a'),
    'invalid_form',
  ],
])('%s is refused', async (_name, contentType, text, code) => {
  const { form, client } = await begin(contentType)
  client.end(text)
  await expect(form).rejects.toMatchObject({ code })
})

test('a field that is no UTF-8 is refused by its name', async () => {
  const { form, client } = await begin('multipart/form-data; boundary=x')
  client.end(Buffer.from(`${part('content-disposition: form-data; name="prompt"', 'Gr\xfc')}--x--\r\n`, 'latin1'))
  await expect(form).rejects.toMatchObject({ code: 'invalid_value', param: 'prompt' })
})

test('more files than may be are refused', async () => {
  const files = formOf([
    ['file', new File(['a'], 'a.wav')],
    ['file', new File(['b'], 'b.wav')],
  ])
  await expect(send(files)).rejects.toMatchObject({ code: 'invalid_value', param: 'file' })
  expect((await send(files, { filesMax: 2 })).files).toHaveLength(2)
})

test('too many fields, too long a field, and too much text in all are refused', async () => {
  const many = formOf(Array.from({ length: 129 }, (_, index) => [`f${index}`, 'x'] as const))
  await expect(send(many)).rejects.toMatchObject({ code: 'invalid_form' })
  await expect(send(formOf([['prompt', 'x'.repeat(65_537)]]))).rejects.toMatchObject({ param: 'prompt' })
  const long = Array.from({ length: 9 }, (_, index) => [`f${index}`, 'x'.repeat(65_000)] as const)
  await expect(send(formOf(long))).rejects.toMatchObject({ param: 'f8' })
})

test.each([
  ['without headers', '--x\r\n\r\n\r\n'],
  ['without a name', '--x\r\nA: b\r\n\r\n\r\n'],
  ['without anything', '--x\r\n'],
  ['of one name', part('content-disposition: form-data; name="a"', '')],
])('of too many parts %s no more is read than the first', async (_name, text) => {
  const { form, client } = await begin('multipart/form-data; boundary=x')
  client.end(`${text.repeat(200)}--x--\r\n`)
  await expect(form).rejects.toMatchObject({ code: 'invalid_form' })
})

test('as many parts as there may be fields and files are read', async () => {
  const fields = Array.from({ length: 128 }, (_value, index) => [`f${index}`, 'x'] as const)
  const form = await send(formOf([...fields, ['file', new File(['a'], 'a.wav')]]))
  expect([form.fields.length, form.files.length]).toEqual([128, 1])
})

test('a body that never comes to a part ends at the size of the largest form', async () => {
  const { form, client } = await begin('multipart/form-data; boundary=x', { fileBytesMax: 1_000 })
  const write = (): void => {
    while (!client.destroyed && client.write('x'.repeat(65_536))) continue
  }
  client.on('drain', write)
  write()
  await expect(form).rejects.toMatchObject({ code: 'request_too_large' })
  client.destroy()
})

test('a declared length beyond the largest form is refused before a byte is read', async () => {
  const { promise, resolve } = Promise.withResolvers<IncomingMessage>()
  onRequest = resolve
  const headers = { 'content-type': 'multipart/form-data; boundary=x', 'content-length': '100000000' }
  const client = openRequest({ port, host: '127.0.0.1', method: 'POST', headers }).on('error', () => undefined)
  client.flushHeaders()
  await expect(readForm(await promise, spool, LIMITS)).rejects.toMatchObject({ code: 'request_too_large' })
  client.destroy()
})

test('a client that sends nothing any more is ended', async () => {
  const { form, client } = await begin('multipart/form-data; boundary=x', { stallMs: 30 })
  client.write(part('content-disposition: form-data; name="file"; filename="a.wav"', 'x'.repeat(200_000)).slice(0, -9))
  await expect(form).rejects.toMatchObject({ code: 'request_timeout' })
})

test('an upload that breaks off in the middle leaves nothing', async () => {
  const { form, client } = await begin('multipart/form-data; boundary=x')
  client.write(part('content-disposition: form-data; name="file"; filename="a.wav"', 'x'.repeat(250_000)).slice(0, -9))
  await eventually(() => expect(spool.bytes).toBeGreaterThan(131_072))
  client.destroy()
  await expect(form).rejects.toMatchObject({ code: 'invalid_form' })
})

test('what all uploads keep has a limit, and it is given back', async () => {
  const small = new Spool({ folder: join(dataDir, 'uploads'), bytesMax: 350_000 })
  const upload = () => formOf([['file', new File([randomBytes(200_000)], 'a.wav')]])
  const first = await send(upload(), {}, small)
  await expect(send(upload(), {}, small)).rejects.toMatchObject({ code: 'server_is_overloaded', retryAfterSeconds: 1 })
  await first.discard()
  expect(small.bytes).toBe(0)
  expect((await send(upload(), {}, small)).files).toHaveLength(1)
})

test('a folder that cannot be written is no wrong form', async () => {
  const nowhere = new Spool({ folder: join(dataDir, 'missing'), bytesMax: 1_000_000 })
  const form = formOf([['file', new File([randomBytes(200_000)], 'a.wav')]])
  await expect(send(form, {}, nowhere)).rejects.toMatchObject({ code: 'ENOENT' })
  expect([nowhere.bytes, nowhere.memoryBytes]).toEqual([0, 0])
})

test('a file on disk has no name, so a process that dies leaves none', async () => {
  const form = await send(formOf([['file', new File([randomBytes(200_000)], 'a.wav')]]))
  expect(form.files[0]!.content.bytes.kind).toBe('disk')
  expect(readdirSync(join(dataDir, 'uploads'))).toEqual([])
})

test('what a process left in the moment before is removed at the next start', () => {
  const other = mkdtempSync(join(tmpdir(), 'svc-form-'))
  mkdirSync(join(other, 'uploads'))
  writeFileSync(join(other, 'uploads', 'left'), 'x')
  openSpool({ dataDir: other, limits: { uploadBytesInFlight: 1 } })
  expect(readdirSync(join(other, 'uploads'))).toEqual([])
  rmSync(other, { recursive: true })
})

test('any form reads the same however its bytes are cut', async () => {
  const random = createRandom()
  console.log(`forms: seed ${random.seed}`)
  // Bytes that look like the end of a part are likely.
  const alphabet = ['\r\n', '--', '-', '\r', '\n', '\r\n--', 'x', 'boundary', '"', '\0', 'ü']
  const text = (limit: number): string =>
    Array.from({ length: random.below(limit) }, () => random.pick(alphabet)).join('')
  for (let round = 0; round < 20; round++) {
    const fields = Array.from({ length: random.below(5) }, (_, index) => [`f${index}`, text(40)] as const)
    const content = text(20_000)
    const encoded = new Response(formOf([...fields, ['file', new File([content], 'a.wav')]]))
    const { form, client } = await begin(encoded.headers.get('content-type'))
    const bytes = Buffer.from(await encoded.arrayBuffer())
    for (let at = 0; at < bytes.length;) {
      const end = at + 1 + random.below(random.pick([3, 100, 70_000]))
      client.write(bytes.subarray(at, end))
      at = end
    }
    client.end()
    const read = await form
    // A form's own rules: line ends within a field are written as CRLF.
    const sent = fields.map(([name, value]) => ({ name, value: value.replaceAll(/\r\n|\r|\n/g, '\r\n') }))
    expect(read.fields).toEqual(sent)
    expect((await contentOf(read)).equals(Buffer.from(content))).toBe(true)
    await read.discard()
  }
})
