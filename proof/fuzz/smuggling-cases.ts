/** Requests that two readers of HTTP understand differently, each with the number of answers that it may have. */

/** A request as it goes over a fresh connection. */
export interface SmugglingCase {
  readonly name: string
  /** Latin-1 text, to be completed by `textFor`. */
  readonly text: string
  /** Final answers that must come: no more, no fewer. */
  readonly answers: number
  /** Statuses that the first may have; absent allows every status below 500. */
  readonly statuses?: readonly number[]
  /** Whether its answers have no body; absent where they have. */
  readonly toHead?: boolean
}

const AUTH = 'host: a\r\nauthorization: Bearer KEY\r\n'
const JSON_TYPE = 'content-type: application/json\r\n'
const LAST = 'connection: close\r\n\r\n'
const POST = `POST /api/v1/chat/completions HTTP/1.1\r\n${AUTH}${JSON_TYPE}`
const GET = `GET /api/v1/balance HTTP/1.1\r\n${AUTH}`
/** What must never be answered: it hides in the body of another request. */
const CHUNKED = 'transfer-encoding: chunked\r\n'
const HIDDEN = `${GET}x: y\r\n\r\n`
const REFUSED = [400, 413, 431, 501] as const

/** How often it hides in a body that is too large for the gateway. */
const LARGE = 8_000

/** Whom a case is sent to. */
export interface SmugglingPlace {
  readonly rawKey: string
  /** Where its API begins, in place of `/api/v1`. */
  readonly root: string
  /** A path below it that a GET with the key is answered at, in place of `/balance`. */
  readonly probe: string
}

/** The bytes of a case for one place: lengths that it names are those of what is sent. */
export function textFor({ text }: SmugglingCase, { rawKey, root, probe }: SmugglingPlace): string {
  const complete = (part: string): string =>
    part
      .replaceAll('/api/v1/balance', root + probe)
      .replaceAll('/api/v1/', `${root}/`)
      .replaceAll('KEY', rawKey)
  const hidden = complete(HIDDEN).length
  return complete(text)
    .replace('HIDDEN_BYTES', `${hidden}`)
    .replace('LARGE_BYTES', `${hidden * LARGE}`)
}

function framed(headers: string, body: string): string {
  return `${POST}${headers}\r\n${body}`
}

/** Two lengths, or a length and chunks, or an unknown coding: refused, and nothing behind it is read. */
export const doubtfulLengths: readonly (readonly [string, string])[] = [
  ['a length before chunks', 'content-length: 6\r\ntransfer-encoding: chunked\r\n'],
  ['a length behind chunks', 'transfer-encoding: chunked\r\ncontent-length: 6\r\n'],
  ['two lengths', 'content-length: 0\r\ncontent-length: 5\r\n'],
  ['two lengths that agree', 'content-length: 5\r\ncontent-length: 5\r\n'],
  ['a list of lengths', 'content-length: 0, 5\r\n'],
  ['a length with a sign', 'content-length: +5\r\n'],
  ['a negative length', 'content-length: -1\r\n'],
  ['a hexadecimal length', 'content-length: 0x5\r\n'],
  ['a length of words', 'content-length: five\r\n'],
  ['a length with a fraction', 'content-length: 5.0\r\n'],
  ['an endless length', 'content-length: 99999999999999999999999999\r\n'],
  ['an unknown coding', 'transfer-encoding: xchunked\r\n'],
  ['chunks that are not last', 'transfer-encoding: chunked, identity\r\n'],
  ['a space before the colon', 'transfer-encoding : chunked\r\n'],
  ['a tab before the colon', 'content-length\t: 5\r\n'],
  ['a folded header', 'transfer-encoding:\r\n chunked\r\n'],
  ['a vertical tab in a coding', 'transfer-encoding: \u000bchunked\r\n'],
  ['a bare return in a header', 'x: a\rtransfer-encoding: chunked\r\n'],
  ['a zero byte in a header', 'x: a\u0000b\r\n'],
  ['a header without a name', ': a\r\n'],
  ['a header without a colon', 'chunked\r\n'],
  ['a header name with a space', 'x y: a\r\n'],
]

/** Bodies in chunks that are none. */
export const doubtfulChunks: readonly (readonly [string, string])[] = [
  ['a chunk size that overflows', `FFFFFFFFFFFFFFFFF\r\n${HIDDEN}`],
  ['a negative chunk size', `-1\r\n${HIDDEN}`],
  ['a chunk size of words', `zz\r\n${HIDDEN}`],
  ['a chunk longer than it says', `1\r\n{}\r\n0\r\n\r\n`],
  ['a chunk without its line end', `2\r\n{}0\r\n\r\n${HIDDEN}`],
  ['a chunk size with 0x', `0x2\r\n{}\r\n0\r\n\r\n`],
]

/** Things that are one request, or none, for every reader. */
const plain: readonly SmugglingCase[] = [
  {
    name: 'a request line without a version',
    text: `GET /api/health\r\n\r\n${HIDDEN}`,
    answers: 1,
    statuses: [400, 505],
  },
  {
    name: 'a version of the future',
    text: 'GET /api/health HTTP/9.9\r\nhost: a\r\n\r\n',
    answers: 1,
    statuses: [400, 505],
  },
  { name: 'the preface of HTTP/2', text: 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', answers: 1, statuses: [400, 505] },
  {
    name: 'a TLS greeting',
    text: '\u0016\u0003\u0001\u0000\u00a5\u0001\u0000\u0000\u00a1\u0003\u0003',
    answers: 1,
    statuses: [400],
  },
  { name: 'no host', text: 'GET /api/health HTTP/1.1\r\n\r\n', answers: 1, statuses: [400] },
  { name: 'two hosts', text: 'GET /api/health HTTP/1.1\r\nhost: a\r\nhost: b\r\n\r\n', answers: 1, statuses: [400] },
  {
    name: 'a raw line end in a path',
    text: 'GET /api/v1/models/a\r\nx-injected: 1 HTTP/1.1\r\nhost: a\r\n\r\n',
    answers: 1,
    statuses: [400],
  },
  {
    name: 'a space in a path',
    text: 'GET /api/v1/models/a b HTTP/1.1\r\nhost: a\r\n\r\n',
    answers: 1,
    statuses: [400],
  },
  {
    name: 'an encoded line end in a path',
    text: `GET /api/v1/models/a%0d%0ax-injected:%201%0d%0a%0d%0aHTTP/1.1%20200 HTTP/1.1\r\nhost: a\r\n${LAST}`,
    answers: 1,
    statuses: [404],
  },
  {
    name: 'an encoded line end in a query',
    text: `GET /api/v1/models?type=%0d%0ax-injected:1 HTTP/1.1\r\nhost: a\r\n${LAST}`,
    answers: 1,
    statuses: [400],
  },
  { name: 'bare line feeds', text: `GET /api/health HTTP/1.1\nhost: a\n\n${HIDDEN}`, answers: 1, statuses: [400] },
  {
    name: 'headers larger than the limit',
    text: `${GET}x: ${'a'.repeat(80_000)}\r\n\r\n`,
    answers: 1,
    statuses: REFUSED,
  },
  { name: 'ten thousand headers', text: `${GET}${'a: b\r\n'.repeat(12_000)}\r\n`, answers: 1, statuses: REFUSED },
  {
    name: 'a path longer than the limit',
    text: `GET /${'a'.repeat(80_000)} HTTP/1.1\r\nhost: a\r\n\r\n`,
    answers: 1,
    statuses: [400, 413, 414, 431],
  },
  { name: 'CONNECT', text: `CONNECT a:80 HTTP/1.1\r\nhost: a\r\n\r\n${HIDDEN}`, answers: 0 },
  {
    name: 'an upgrade that is not spoken',
    text: `${GET}connection: upgrade, close\r\nupgrade: websocket\r\n\r\n`,
    answers: 1,
    statuses: [200],
  },
  {
    name: 'an absolute address',
    text: `GET http://elsewhere.example/api/health HTTP/1.1\r\nhost: a\r\n${LAST}`,
    answers: 1,
  },
  {
    name: 'an unknown expectation',
    text: `${GET}expect: 200-maybe\r\n${LAST}`,
    answers: 1,
    statuses: [200],
  },
]

/** Several requests on one connection: as many answers as requests, in order. */
const pipelined: readonly SmugglingCase[] = [
  {
    name: 'five requests at once',
    text: `${`${GET}\r\n`.repeat(4)}${GET}${LAST}`,
    answers: 5,
    statuses: [200],
  },
  {
    name: 'a body that is not read, and a request in it',
    text: `GET /api/v1/models/x HTTP/1.1\r\nhost: a\r\ncontent-length: HIDDEN_BYTES\r\n${LAST}${HIDDEN}`,
    answers: 1,
    statuses: [404],
  },
  {
    name: 'a request with a wrong key, a request in its body, and one behind it',
    text:
      `POST /api/v1/chat/completions HTTP/1.1\r\nhost: a\r\ncontent-length: HIDDEN_BYTES\r\n\r\n${HIDDEN}` +
      `${GET}${LAST}`,
    answers: 2,
    statuses: [401],
  },
  {
    name: 'an unknown address with a request in its body, and one behind it',
    text: `POST /nowhere HTTP/1.1\r\nhost: a\r\ncontent-length: HIDDEN_BYTES\r\n\r\n${HIDDEN}${GET}${LAST}`,
    answers: 2,
    statuses: [404],
  },
  {
    name: 'a body that is too large, with requests in it',
    text: `${POST}content-length: LARGE_BYTES\r\n\r\n${HIDDEN.repeat(LARGE)}`,
    answers: 1,
    statuses: [413],
  },
  {
    name: 'trailers that name a length',
    text: `${framed(CHUNKED, '2\r\n{}\r\n0\r\ncontent-length: 50\r\nx-injected: 1\r\n\r\n')}${GET}${LAST}`,
    answers: 1,
    statuses: [400],
  },
  {
    name: 'a chunk with a long extension',
    text: `${framed(CHUNKED, `2;a=${'b'.repeat(500)}\r\n{}\r\n0\r\n\r\n`)}${GET}${LAST}`,
    answers: 2,
    statuses: [400],
  },
  {
    name: 'HEAD, and a request behind it',
    text: `POST /api/v1/chat/completions HTTP/1.1\r\nhost: a\r\ncontent-length: 0\r\n\r\n${GET}${LAST}`,
    answers: 2,
    statuses: [401],
  },
]

/** Bodies with keys that appear twice: refused before an upstream is asked. */
const doubled: readonly (readonly [string, string])[] = [
  ['a doubled model', '{"model":"svc-gpt","messages":[{"role":"user","content":"a"}],"model":"svc-reasoner"}'],
  [
    'a doubled model, once in escapes',
    '{"model":"svc-gpt","messages":[{"role":"user","content":"a"}],"mod\\u0065l":"x"}',
  ],
  ['doubled messages', '{"messages":[],"model":"svc-gpt","messages":[{"role":"user","content":"a"}]}'],
  [
    'a doubled limit',
    '{"model":"svc-gpt","messages":[{"role":"user","content":"a"}],"max_tokens":1,"max_tokens":900000}',
  ],
  ['a doubled unknown key', '{"model":"svc-gpt","messages":[{"role":"user","content":"a"}],"a":1,"a":2}'],
  [
    'a doubled prototype',
    '{"__proto__":{},"model":"svc-gpt","messages":[{"role":"user","content":"a"}],"__proto__":{}}',
  ],
]

/** All of them. */
export const smugglingCases: readonly SmugglingCase[] = [
  ...doubtfulLengths.map(([name, headers]) => ({
    ...{ name, text: framed(headers, `0\r\n\r\n${HIDDEN}`), answers: 1, statuses: REFUSED },
  })),
  ...doubtfulChunks.map(([name, body]) => ({
    ...{ name, text: framed(CHUNKED, body), answers: 1, statuses: REFUSED },
  })),
  ...plain,
  ...pipelined,
  ...doubled.map(([name, body]) => ({
    ...{
      name,
      text: framed(`content-length: ${body.length}\r\nconnection: close\r\n`, body),
      answers: 1,
      statuses: [400],
    },
  })),
]
