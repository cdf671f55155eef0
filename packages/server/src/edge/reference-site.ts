/** The reference: pages, search index and plain documents, built with the console and sent as they are. */
import { existsSync, readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { ServiceError } from '../platform/errors/service-error.ts'
import { type Coding, codingFor } from './compress-answer.ts'

/** Where the pages are. */
export const REFERENCE_PATH = '/docs'

const MISSING = `${REFERENCE_PATH}/404`
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
  readonly file: string
  readonly contentType: string
  readonly codings: ReadonlySet<Coding>
}

/** Every file by its path below the origin; a page is there without its ending. */
function listFiles(folder: string): ReadonlyMap<string, SiteFile> {
  if (!existsSync(folder)) return new Map()
  const names = new Set(readdirSync(folder, { recursive: true, encoding: 'utf8' }))
  const files = new Map<string, SiteFile>()
  for (const name of names) {
    const ending = path.extname(name)
    const contentType = TYPES[ending]
    if (contentType === undefined) continue
    const codings = new Set((Object.keys(ENDINGS) as Coding[]).filter((coding) => names.has(name + ENDINGS[coding])))
    const place = `/${name.replaceAll(path.sep, '/')}`
    const address = ending === '.html' ? place.slice(0, -ending.length) : place
    files.set(address, { file: path.join(folder, name), contentType, codings })
  }
  return files
}

async function send(request: FastifyRequest, reply: FastifyReply, { file, contentType, codings }: SiteFile) {
  const accepted = codingFor(request.headers['accept-encoding'])
  const coding = accepted !== null && codings.has(accepted) ? accepted : null
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
    .send(await readFile(coding === null ? file : file + ENDINGS[coding]))
}

/** Mounts `/docs`, what is below it, and `/llms.txt`. @param folder the console's built pages. */
export function mountReference(app: FastifyInstance, folder: string): void {
  const files = listFiles(path.join(folder, 'site'))
  const missing = files.get(MISSING)
  // Paths are looked up as they are written, so that none of them leads elsewhere.
  const answer = async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> => {
    const [address = ''] = request.url.split('?')
    const found = address === MISSING ? undefined : files.get(address.replace(/(?<=.)\/$/, ''))
    if (found !== undefined) return send(request, reply, found)
    const isPerson = request.headers.accept?.includes('text/html') === true
    if (missing === undefined || !isPerson) throw new ServiceError('unknown_url', 'There is no such page.')
    return send(request, reply.code(404), missing)
  }
  for (const address of [REFERENCE_PATH, `${REFERENCE_PATH}/*`, '/llms.txt']) app.get(address, answer)
}
