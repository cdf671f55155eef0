import type { IncomingMessage } from 'node:http'
import { SandboxError } from './sandbox-error.ts'

/** Largest request in bytes: as large as the gateway lets through, and some room. Source: own choice. */
const BODY_MAX = 128 * 1_024 * 1_024

/**
 * Reads the whole body of a request.
 * @throws {SandboxError} 413 when it is too large.
 */
export function readBody(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let size = 0
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= BODY_MAX) chunks.push(chunk)
      else reject(new SandboxError(413, 'payload_too_large', `The body is larger than ${BODY_MAX} bytes.`))
    })
    request.once('end', () =>
      resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)),
    )
    request.once('error', reject)
  })
}
