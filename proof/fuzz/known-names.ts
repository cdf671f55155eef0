/** Names of things that exist: ids and signed addresses from the answers of a run. */
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

/** A name, and the address of the list that it came in: that of the same team, for one. */
interface Told {
  readonly list: string
  readonly name: string
}

/** What is known so far. */
export class KnownNames {
  readonly #told = new Map<string, Told[]>()

  /**
   * @param path of the list, as the document writes it.
   * @param list the same address as it was asked; the path itself where it has no parameters.
   */
  add(path: string, name: string, list = path): void {
    const known = this.#told.get(path) ?? []
    this.#told.set(path, known)
    if (known.some((each) => each.name === name && each.list === list)) return
    known.push({ list, name })
    if (known.length > KEPT) known.shift()
  }

  /**
   * Takes in what an answer names.
   * @param address that was asked, below `/api`.
   */
  learn({ path, asksUpstream }: Operation, { status, headers, body }: RawAnswer, address: string): void {
    if (status < 300 && asksUpstream) this.add('/v1/usage', headers['x-request-id'] ?? '')
    if (status >= 300 || body.length > READ_BYTES_MAX) return
    const text = body.toString('utf8')
    const list = path.includes('{') ? address.split('?', 1)[0] : undefined
    for (const [, id = ''] of text.matchAll(ID)) this.add(lists[path] ?? path, id, list)
    for (const [, target = ''] of text.matchAll(SIGNED))
      this.add(target.startsWith('/v1/media') ? 'media' : 'content', target)
  }

  /** @param at which of them, counted around. @returns null when nothing of this list is known. */
  pick(path: string, at: number): string | null {
    return this.#pick(path, at)?.name ?? null
  }

  /** @returns the address of a thing with the list that it is in; null when nothing of such a list is known. */
  pickAddress(path: string, at: number): string | null {
    const told = this.#pick(path, at)
    return told === null ? null : `${told.list}/${encodeURIComponent(told.name)}`
  }

  #pick(path: string, at: number): Told | null {
    const known = this.#told.get(path) ?? []
    return known[at % known.length] ?? null
  }
}
