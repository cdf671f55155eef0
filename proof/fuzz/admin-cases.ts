/** Requests to the port of metrics and probes: none is more than one request, and none makes it fail. */
import fc from 'fast-check'
import { doubtfulChunks, doubtfulLengths, type SmugglingCase } from './smuggling-cases.ts'

const HIDDEN = 'GET /live HTTP/1.1\r\nhost: a\r\n\r\n'
const REFUSED = [400, 413, 417, 431, 501, 505] as const
const PATHS = ['/live', '/ready', '/metrics', '/', '/metrics/', '/..%2fmetrics', '/%00', '/live?a=%zz', '//live', '*']
const METHODS = ['GET', 'GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS', 'TRACE', 'get', 'BREW']

function framed(headers: string, body: string): string {
  return `POST /metrics HTTP/1.1\r\nhost: a\r\n${headers}\r\n${body}`
}

const fixed: readonly SmugglingCase[] = [
  ...doubtfulLengths.map(([name, headers]) => ({
    ...{ name, text: framed(headers, `0\r\n\r\n${HIDDEN}`), answers: 1, statuses: REFUSED },
  })),
  // A body is not waited for: the answer is sent before its end is known to be wrong.
  ...doubtfulChunks.map(([name, body]) => ({
    ...{ name, text: framed('transfer-encoding: chunked\r\n', body), answers: 1, statuses: [400, 405] },
  })),
  {
    name: 'headers larger than the limit',
    text: `GET /live HTTP/1.1\r\nhost: a\r\nx: ${'a'.repeat(20_000)}\r\n\r\n`,
    answers: 1,
    statuses: REFUSED,
  },
  {
    name: 'ten thousand headers',
    text: `GET /live HTTP/1.1\r\n${'a: b\r\n'.repeat(12_000)}\r\n`,
    answers: 1,
    statuses: REFUSED,
  },
  {
    name: 'a path longer than the limit',
    text: `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nhost: a\r\n\r\n`,
    answers: 1,
    statuses: REFUSED,
  },
  { name: 'no host', text: 'GET /live HTTP/1.1\r\n\r\n', answers: 1, statuses: REFUSED },
  { name: 'CONNECT', text: `CONNECT a:80 HTTP/1.1\r\nhost: a\r\n\r\n${HIDDEN}`, answers: 0 },
  { name: 'a TLS greeting', text: '\u0016\u0003\u0001\u0000\u00a5\u0001', answers: 1, statuses: REFUSED },
  { name: 'five at once', text: HIDDEN.repeat(5), answers: 5, statuses: [200] },
  {
    name: 'an upgrade that is not spoken',
    text: 'GET /live HTTP/1.1\r\nhost: a\r\nconnection: upgrade, close\r\nupgrade: websocket\r\n\r\n',
    answers: 1,
    statuses: [200],
  },
]

const HEADERS = ['', 'accept: x\r\n', 'expect: 100-continue\r\n', 'content-length: 5\r\n', 'cookie: %\r\n']

const randomCase: fc.Arbitrary<SmugglingCase> = fc
  .tuple(fc.constantFrom(...METHODS), fc.constantFrom(...PATHS), fc.constantFrom(...HEADERS))
  .map(([method, path, headers]) => ({
    name: `${method} ${path} with ${headers.trim() || 'no header'}`,
    text:
      `${method} ${path} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n${headers}\r\n` +
      (headers.startsWith('content-length') ? 'hello' : ''),
    ...{ answers: 1, toHead: method === 'HEAD' },
  }))

/** All of them, with random ones behind. */
export function adminCases(seed: number, count: number): readonly SmugglingCase[] {
  return [...fixed, ...fc.sample(randomCase, { seed, numRuns: count })]
}
