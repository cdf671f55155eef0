/** An upstream that does as little as it can: fixed answers, whole or streamed, with reported usage. */
import { createServer, type IncomingMessage } from 'node:http'
import { createSecureServer, type Http2ServerRequest } from 'node:http2'
import { type Listening, readSettings, type StubSettings } from '../program-settings.ts'

const { chunks, gapMs, identity, port = 0 } = readSettings<StubSettings>()

const common = { id: 'gen-1', created: 1_795_813_200, model: 'openai/gpt-6-astra' }
const usage = {
  prompt_tokens: 42,
  completion_tokens: 120,
  total_tokens: 162,
  cost: 0.000321,
  prompt_tokens_details: { cached_tokens: 0 },
  completion_tokens_details: { reasoning_tokens: 0 },
}
const content = 'The quick brown fox jumps over the lazy dog. '.repeat(12)
const message = { role: 'assistant', content, refusal: null }
const whole = JSON.stringify({
  ...{ ...common, object: 'chat.completion', usage },
  choices: [{ index: 0, finish_reason: 'stop', logprobs: null, message }],
})
const wholeHeaders = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(whole) }
const streamHeaders = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' }
const frame = (own: object): string =>
  `data: ${JSON.stringify({ ...common, object: 'chat.completion.chunk', ...own })}\n\n`
const choice = (delta: object, finish: string | null): object => ({
  choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
})
const textFrame = Buffer.from(frame(choice({ role: 'assistant', content: 'brown fox ' }, null)))
const lastFrames = Buffer.from(`${frame(choice({}, 'stop'))}${frame({ choices: [], usage })}data: [DONE]\n\n`)

/** What answers of HTTP/1.1 and of HTTP/2 have in common. */
interface Answer {
  writeHead(status: number, headers: Record<string, string | number>): unknown
  write(bytes: Buffer): unknown
  end(bytes: Buffer | string): unknown
  on(event: 'close', listener: () => void): unknown
}

/** The output limit that a request asks for. */
function limitIn(piece: Buffer): number {
  const limit = /"max_tokens":(\d+)/.exec(piece.toString('latin1'))
  return limit === null ? Number.POSITIVE_INFINITY : Number(limit[1])
}

function stream(answer: Answer, length: number): void {
  answer.writeHead(200, streamHeaders)
  answer.write(textFrame)
  let sent = 1
  const timer = setInterval(() => {
    sent++
    if (sent < length) return answer.write(textFrame)
    clearInterval(timer)
    return answer.end(lastFrames)
  }, gapMs)
  answer.on('close', () => clearInterval(timer))
}

/** Three seconds of speech, in pieces as models make them; each begins as a frame of MP3, since text is no audio. */
const audioPiece = Buffer.alloc(8_192, 0x55)
audioPiece.write('\xff\xfb\x90\x64', 'latin1')
const AUDIO_PIECES = 6
const transcript = JSON.stringify({ text: content, usage: { seconds: 10, cost: 0.001 } })

function speak(answer: Answer): void {
  answer.writeHead(200, { 'content-type': 'audio/mpeg' })
  for (let piece = 1; piece < AUDIO_PIECES; piece++) answer.write(audioPiece)
  answer.end(audioPiece)
}

function transcribe(answer: Answer): void {
  answer.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(transcript) })
  answer.end(transcript)
}

/** An image of a megabyte, as base64 in JSON: the gateway looks at how it begins. */
const IMAGE_BYTES = 1_048_576
const pixels = Buffer.alloc(IMAGE_BYTES, 0xa5)
pixels.write('\x89PNG\r\n\x1a\n', 'latin1')
const image = JSON.stringify({
  created: common.created,
  data: [{ b64_json: pixels.toString('base64'), media_type: 'image/png' }],
  usage: { prompt_tokens: 42, completion_tokens: 4_160, total_tokens: 4_202, cost: 0.04 },
})

function draw(answer: Answer): void {
  answer.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(image) })
  answer.end(image)
}

function serve(request: IncomingMessage | Http2ServerRequest, answer: Answer): void {
  if (request.method !== 'POST') {
    request.resume()
    answer.writeHead(404, {})
    answer.end('')
    return
  }
  const { url = '' } = request
  let isStream = false
  let length = chunks
  request.on('data', (piece: Buffer) => {
    isStream ||= piece.includes('"stream":true')
    if (isStream) length = Math.min(length, limitIn(piece))
  })
  request.on('end', () => {
    if (url.includes('/images')) return draw(answer)
    if (url.endsWith('/audio/speech')) return speak(answer)
    if (url.endsWith('/audio/transcriptions')) return transcribe(answer)
    if (isStream) return stream(answer, length)
    answer.writeHead(200, wholeHeaders)
    answer.end(whole)
  })
}

const server =
  identity === null
    ? createServer({ keepAliveTimeout: 120_000 }, serve)
    : createSecureServer({ ...identity, allowHTTP1: true }, serve)
server.listen(port, '127.0.0.1', () => {
  const address = server.address()
  const listening: Listening = { port: typeof address === 'object' && address !== null ? address.port : 0 }
  process.send?.(listening)
})
process.on('disconnect', () => process.exit())
