/**
 * The baseline: `node:http` and undici, parsing and writing again the same JSON or the same frames of a stream, and
 * nothing else. With books it charges whole answers, too, which is the least that a gateway can do.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { Agent, type Dispatcher } from 'undici'
import { type Listening, type ProxySettings, readSettings } from '../program-settings.ts'

const { upstream, allowH2, books: booked } = readSettings<ProxySettings>()
const books = booked === undefined ? null : await (await import('../proxy-books.ts')).openProxyBooks(booked)
const agent = new Agent({ pipelining: 1, allowH2 })
const again = (json: string): string => JSON.stringify(JSON.parse(json))

/** Parses whole events and writes them again; keeps a begun one. */
function createFrameCopier(write: (frames: string) => void): (chunk: Buffer) => void {
  const decoder = new TextDecoder()
  let begun = ''
  return (chunk) => {
    const events = (begun + decoder.decode(chunk, { stream: true })).split('\n\n')
    begun = events.pop() ?? ''
    let frames = ''
    for (const event of events) {
      const data = event.slice('data: '.length)
      frames += `data: ${data === '[DONE]' ? data : again(data)}\n\n`
    }
    if (frames !== '') write(frames)
  }
}

/** @param holdId what was held for it; null where nothing is booked. */
function answerWith(response: ServerResponse, holdId: string | null): Dispatcher.DispatchHandler {
  const parts: Buffer[] = []
  let copyFrames: ((chunk: Buffer) => void) | null = null
  return {
    onRequestStart: () => undefined,
    onResponseStart: (_controller, status, headers) => {
      if (!String(headers['content-type']).startsWith('text/event-stream')) return
      response.writeHead(status, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
      copyFrames = createFrameCopier((frames) => response.write(frames))
    },
    onResponseData: (_controller, chunk) => {
      if (copyFrames === null) parts.push(chunk)
      else copyFrames(chunk)
    },
    onResponseEnd: () => {
      if (copyFrames !== null) return void response.end()
      const text = again(Buffer.concat(parts).toString('utf8'))
      const answer = (): void => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
        response.end(text)
      }
      if (holdId === null) answer()
      else void books?.capture(holdId).then(answer)
    },
    onResponseError: () => {
      if (response.headersSent) response.destroy()
      else response.writeHead(502).end()
    },
  }
}

/** Audio is handed on as it comes, both ways: there is no JSON to write again. */
function passAudio(request: IncomingMessage, response: ServerResponse): void {
  const path = request.url ?? '/'
  const { 'content-type': type = '', 'content-length': length } = request.headers
  const headers = { 'content-type': type, ...(length === undefined ? {} : { 'content-length': length }) }
  agent.stream(
    { origin: upstream, path, method: 'POST', headers, body: request },
    ({ statusCode, headers: answered }) => {
      response.writeHead(statusCode, { 'content-type': String(answered['content-type']) })
      return response
    },
    (error) => {
      if (error !== null) response.destroy()
    },
  )
}

const server = createServer({ keepAliveTimeout: 120_000 }, (request, response) => {
  if (request.url?.startsWith('/v1/audio/') === true) return passAudio(request, response)
  const parts: Buffer[] = []
  request.on('data', (chunk: Buffer) => parts.push(chunk))
  request.on('end', () => {
    const body = again(Buffer.concat(parts).toString('utf8'))
    if (books === null) send(request, response, { body, holdId: null })
    else void books.hold().then((holdId) => send(request, response, { body, holdId }))
  })
})

function send(
  request: IncomingMessage,
  response: ServerResponse,
  { body, holdId }: { readonly body: string; readonly holdId: string | null },
): void {
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' }
  const handler = answerWith(response, holdId)
  let controller: Dispatcher.DispatchController | null = null
  response.on('close', () => {
    if (!response.writableFinished) controller?.abort(new Error('the caller has gone'))
  })
  agent.dispatch(
    { origin: upstream, path: request.url ?? '/', method: 'POST', headers, body },
    { ...handler, onRequestStart: (started) => void (controller = started) },
  )
}

server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  const listening: Listening = { port: typeof address === 'object' && address !== null ? address.port : 0 }
  process.send?.(listening)
})
process.on('disconnect', () => process.exit())
