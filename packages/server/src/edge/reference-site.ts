/** The reference: pages, search index and plain documents, built with the console and sent as they are. */
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../platform/errors/service-error.ts'
import { type Coding, codingFor } from './compress-answer.ts'

/** Where the pages are. */
export const REFERENCE_PATH = '/docs'

const MISSING = `${REFERENCE_PATH}/404`
/** Names of no other form are written when the pages are built, so that no path leads elsewhere. */
const ADDRESS = /^(?:\/[\w-]{1,100}){1,4}(?<ending>\.(?:json|md|txt))?$/
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.md': 'text/markdown; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
}
const ENDINGS: Readonly<Record<Coding, string>> = { br: '.br', gzip: '.gz' }

/** Nothing but scripts, styles and answers of this origin: the pages hold no script of their own. */
export const REFERENCE_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: blob:",
  "media-src 'self' blob:",
  "connect-src 'self'",
  "font-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

interface SiteFile {
  readonly contentType: string
  readonly coding: Coding | null
  readonly bytes: Buffer
}

const readIfThere = (file: string): Promise<Buffer | null> =>
  readFile(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return null
    throw error
  })

/**
 * What is there now, whatever was there when the gateway started: the pages may be built under it. A page is there
 * without its ending.
 *
 * @param accepted compressed or, where there is no such file, plain.
 */
async function findFile(folder: string, address: string, accepted: Coding | null): Promise<SiteFile | null> {
  const found = ADDRESS.exec(address)
  if (found === null) return null
  const ending = found.groups?.['ending']
  const contentType = TYPES[ending ?? '.html'] ?? ''
  const file = path.join(folder, ending === undefined ? `${address}.html` : address)
  const coded = accepted === null ? null : await readIfThere(file + ENDINGS[accepted])
  if (coded !== null) return { contentType, coding: accepted, bytes: coded }
  const bytes = await readIfThere(file)
  return bytes && { contentType, coding: null, bytes }
}

function send(reply: FastifyReply, { contentType, coding, bytes }: SiteFile): FastifyReply {
  if (coding !== null) reply.header('content-encoding', coding)
  return reply
    .headers({
      'content-type': contentType,
      'content-security-policy': REFERENCE_POLICY,
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
      'permissions-policy': 'camera=(), geolocation=(), microphone=()',
      'cache-control': 'no-cache',
      vary: 'accept-encoding',
    })
    .send(bytes)
}

/** Mounts `/docs`, what is below it, and `/llms.txt`. @param folder the console's built pages. */
export function mountReference(app: FastifyInstance, folder: string): void {
  const site = path.join(folder, 'site')
  const answer = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const [address = ''] = request.url.split('?')
    const accepted = codingFor(request.headers['accept-encoding'])
    const plain = address.replace(/(?<=.)\/$/, '')
    const found = plain === MISSING ? null : await findFile(site, plain, accepted)
    if (found !== null) return send(reply, found)
    const isPerson = request.headers.accept?.includes('text/html') === true
    const missing = isPerson ? await findFile(site, MISSING, accepted) : null
    if (missing === null) throw new ServiceError('unknown_url', 'There is no such page.')
    return send(reply.code(404), missing)
  }
  for (const address of [REFERENCE_PATH, `${REFERENCE_PATH}/*`, '/llms.txt']) app.get(address, answer)
}
