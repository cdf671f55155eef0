/** Names of things that exist: ids and signed addresses that answers of a run have told. */
import type { Random } from '../../packages/server/testing/random.ts'
import type { Operation } from './fuzz-target.ts'
import type { RawAnswer } from './raw-answers.ts'

/** Names that are kept of each kind; newer ones take the place of older ones. */
const KEPT = 64
/** Answers above this are not looked through, in bytes. */
const READ_BYTES_MAX = 64 * 1024

/** Under which list the things of another address are found. */
const lists: Readonly<Record<string, string>> = { '/v1/videos/generations': '/v1/videos' }

const ID = /"id":"([^"\\]{1,120})"/g
const SIGNED = /\/api(\/v1\/(?:media|videos)\/[^"\\\s]+\?[^"\\\s]+)"/g

/** What is known so far. */
export class KnownNames {
  readonly #ids = new Map<string, string[]>()

  /** @param list the path of the list, as the document writes it. */
  add(list: string, name: string): void {
    const names = this.#ids.get(list) ?? []
    this.#ids.set(list, names)
    if (names.includes(name)) return
    names.push(name)
    if (names.length > KEPT) names.shift()
  }

  /** Takes in what an answer tells. */
  learn({ path, asksUpstream }: Operation, { status, headers, body }: RawAnswer): void {
    if (status < 300 && asksUpstream) this.add('/v1/usage', headers['x-request-id'] ?? '')
    if (status >= 300 || body.length > READ_BYTES_MAX) return
    const text = body.toString('utf8')
    for (const [, id = ''] of text.matchAll(ID)) this.add(lists[path] ?? path, id)
    for (const [, target = ''] of text.matchAll(SIGNED))
      this.add(target.startsWith('/v1/media') ? 'media' : 'content', target)
  }

  /** @returns null when nothing of this list is known. */
  pick(list: string, random: Random): string | null {
    const names = this.#ids.get(list)
    return names === undefined ? null : random.pick(names)
  }
}
