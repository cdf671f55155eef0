import { createHash } from 'node:crypto'

/** What is kept of a random text that lets a person in: it cannot be guessed, so its hash needs no salt. In hex. */
export function hashToken(token: string): string {
  return createHash('sha256').update(token).digest('hex')
}
