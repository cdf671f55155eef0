/** Answers of an HTTP/1.1 server, read strictly from the bytes of a connection. */

export interface RawAnswer {
  readonly status: number
  /** Lower-case names; the values of a repeated header are joined by a comma. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
  /** Bytes that it took. */
  readonly length: number
}

/** The bytes are no HTTP answer. */
export class BrokenAnswerError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'BrokenAnswerError'
  }
}

function parseHead(text: string): { status: number; headers: Record<string, string> } {
  const [first = '', ...lines] = text.split('\r\n')
  const status = /^HTTP\/1\.[01] (\d{3})(?: [^\r\n]*)?$/.exec(first)?.[1]
  if (status === undefined) throw new BrokenAnswerError(`no status line: ${JSON.stringify(first.slice(0, 200))}`)
  const headers: Record<string, string> = {}
  for (const line of lines) {
    const match = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([^\r\n\0]*)$/.exec(line)
    if (match === null) throw new BrokenAnswerError(`no header: ${JSON.stringify(line.slice(0, 200))}`)
    const name = (match[1] ?? '').toLowerCase()
    const value = match[2] ?? ''
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`
  }
  return { status: Number(status), headers }
}

/** @returns null when more bytes are needed. */
function readChunks(bytes: Buffer, start: number): { body: Buffer; end: number } | null {
  const chunks: Buffer[] = []
  let at = start
  for (;;) {
    const lineEnd = bytes.indexOf('\r\n', at)
    if (lineEnd === -1) return null
    const size = /^[0-9a-fA-F]{1,8}$/.exec(bytes.toString('latin1', at, lineEnd))
    if (size === null) throw new BrokenAnswerError('a chunk has no size')
    const length = Number.parseInt(size[0], 16)
    const from = lineEnd + 2
    if (bytes.length < from + length + 2) return null
    if (bytes.toString('latin1', from + length, from + length + 2) !== '\r\n') {
      throw new BrokenAnswerError('a chunk is longer than it says')
    }
    if (length === 0) return { body: Buffer.concat(chunks), end: from + 2 }
    chunks.push(bytes.subarray(from, from + length))
    at = from + length + 2
  }
}

/**
 * Reads the first answer of some bytes; interim answers (1xx) are answers, too.
 *
 * @param toHead whether it answers a HEAD request, and has no body.
 * @returns null when it is not whole yet.
 * @throws {BrokenAnswerError} when it never can be.
 */
export function readAnswer(bytes: Buffer, toHead = false): RawAnswer | null {
  const headEnd = bytes.indexOf('\r\n\r\n')
  if (headEnd === -1) {
    if (bytes.length > 5 && !bytes.toString('latin1', 0, 5).startsWith('HTTP/'))
      parseHead(bytes.toString('latin1', 0, 200))
    return null
  }
  const { status, headers } = parseHead(bytes.toString('latin1', 0, headEnd))
  const start = headEnd + 4
  if (status < 200 || status === 204 || status === 304 || toHead) {
    return { status, headers, body: Buffer.alloc(0), length: start }
  }
  if (headers['transfer-encoding'] === 'chunked') {
    const read = readChunks(bytes, start)
    return read === null ? null : { status, headers, body: read.body, length: read.end }
  }
  const length = Number(headers['content-length'] ?? Number.NaN)
  if (!Number.isSafeInteger(length)) throw new BrokenAnswerError('an answer has no length')
  if (bytes.length < start + length) return null
  return { status, headers, body: bytes.subarray(start, start + length), length: start + length }
}

/** Reads all answers that follow each other. @throws {BrokenAnswerError} when bytes are left that are none. */
export function readAnswers(bytes: Buffer, toHead = false): readonly RawAnswer[] {
  const answers: RawAnswer[] = []
  let rest = bytes
  while (rest.length > 0) {
    const answer = readAnswer(rest, toHead)
    if (answer === null) throw new BrokenAnswerError(`an answer is cut: ${rest.toString('latin1').slice(0, 200)}`)
    answers.push(answer)
    rest = rest.subarray(answer.length)
  }
  return answers
}
