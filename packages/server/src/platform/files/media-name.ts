import { randomBytes } from 'node:crypto'
import { mediaExtensions, type MediaType, mediaTypes } from '@svc/contract'

/** The type of a file that is sealed: what is in it, only its keeper can read. */
export const SEALED_TYPE = 'application/octet-stream'

/** Types of the files that are kept here. */
export type StoredType = MediaType | typeof SEALED_TYPE

/** What a name alone says. */
export interface NameFacts {
  readonly contentType: StoredType
  /** Integer milliseconds; from then on the file counts as gone. */
  readonly expiresAt: number
}

/** Bytes of chance in a name: 128 bits cannot be guessed. */
const RANDOM_BYTES = 16
const NAME = /^(\d{10})-[0-9a-f]{32}\.([a-z0-9]{1,5})$/
const extensions: Readonly<Record<StoredType, string>> = { ...mediaExtensions, [SEALED_TYPE]: 'bin' }
const typesByExtension = new Map<string, StoredType>([
  ...mediaTypes.map((type) => [mediaExtensions[type] as string, type] as const),
  [extensions[SEALED_TYPE], SEALED_TYPE],
])

/**
 * Makes a name that cannot be guessed and in which nothing comes from a caller.
 *
 * It begins with the second in which the file ends, so that what is over is found by names alone, in order, and no
 * table has to agree with the files. It is lower-case throughout, for file systems that do not tell cases apart.
 */
export function createMediaName({ contentType, expiresAt }: NameFacts): string {
  const seconds = String(Math.ceil(expiresAt / 1_000)).padStart(10, '0')
  return `${seconds}-${randomBytes(RANDOM_BYTES).toString('hex')}.${extensions[contentType]}`
}

/**
 * Reads a name.
 * @param name from outside, unparsed.
 * @returns null for anything that `createMediaName` cannot have made.
 */
export function parseMediaName(name: string): NameFacts | null {
  const [, seconds, extension] = NAME.exec(name) ?? []
  const contentType = typesByExtension.get(extension ?? '')
  if (seconds === undefined || contentType === undefined) return null
  return { contentType, expiresAt: Number(seconds) * 1_000 }
}
