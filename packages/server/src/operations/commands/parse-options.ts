import { InvalidArgumentError } from 'commander'
import {
  CREDITS_MAX,
  formatCredits,
  type Nanocredits,
  OVERLAP_HOURS_MAX,
  parseCredits,
  parseTimeText,
} from '@svc/contract'
import { isRight, RIGHTS } from '../../access/keys/key-permissions.ts'
import type { Right } from '../../access/keys/caller.ts'
import { namedPath } from '../../config/named-path.ts'

/** Reads an amount in credits: an exact decimal, which may be negative. */
export function parseAmount(text: string): Nanocredits {
  const amount = parseCredits(text)
  if (amount === null || amount === 0n) {
    throw new InvalidArgumentError(
      'Give credits as a decimal other than 0, such as 1000 or 0.5, with at most 9 decimals.',
    )
  }
  if (amount > CREDITS_MAX || amount < -CREDITS_MAX) {
    throw new InvalidArgumentError(`Give at most ${formatCredits(CREDITS_MAX)} credits.`)
  }
  return amount
}

/** Reads an amount in credits that must be more than 0. */
export function parsePositiveAmount(text: string): Nanocredits {
  const amount = parseAmount(text)
  if (amount < 0n) throw new InvalidArgumentError('Give more than 0 credits.')
  return amount
}

/** Reads an ISO 8601 date or time, in UTC where it names no zone. @returns milliseconds since the epoch. */
export function parseTime(text: string): number {
  const ms = parseTimeText(text)
  if (ms === null) throw new InvalidArgumentError('Give a date or time such as 2030-12-31 or 2030-12-31T18:00:00Z.')
  return ms
}

/** Reads the name of a file or a folder. @returns an absolute path. */
export function parsePath(text: string): string {
  if (text.trim() === '') throw new InvalidArgumentError('Give the name of a file or a folder.')
  return namedPath(text)
}

/** Reads one of several such names. */
export function collectPaths(text: string, before: readonly string[] = []): readonly string[] {
  return [...before, parsePath(text)]
}

/** Reads a list separated by commas. */
export function parseList(text: string): readonly string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
}

/** Reads a list of rights. */
export function parseRightList(text: string): readonly Right[] {
  const rights: Right[] = []
  for (const word of parseList(text)) {
    if (!isRight(word)) throw new InvalidArgumentError(`Known rights are ${RIGHTS.join(', ')}.`)
    rights.push(word)
  }
  return rights
}

/** Reads how many rows to list. */
export function parseCount(text: string): number {
  const count = /^\d{1,3}$/.test(text) ? Number(text) : 0
  if (count < 1 || count > 200) throw new InvalidArgumentError('Give a number from 1 to 200.')
  return count
}

/** Reads how long a key works beside its successor. */
export function parseOverlap(text: string): number {
  const hours = /^\d{1,3}$/.test(text) ? Number(text) : -1
  if (hours < 0 || hours > OVERLAP_HOURS_MAX) {
    throw new InvalidArgumentError(`Give whole hours from 0 to ${OVERLAP_HOURS_MAX}.`)
  }
  return hours
}

/** A limit that was named. An object, since the reader of options takes null for a value that is missing. */
export interface NamedLimit {
  /** Null takes it away. */
  readonly most: number | null
}

/** Reads a limit. @param none the word that takes it away. */
export function parseLimit(max: number, none: string): (text: string) => NamedLimit {
  return (text) => {
    if (text === none) return { most: null }
    const count = /^\d{1,9}$/.test(text) ? Number(text) : 0
    if (count < 1 || count > max) throw new InvalidArgumentError(`Give a whole number from 1 to ${max}, or "${none}".`)
    return { most: count }
  }
}

/** Characters of a reason at most. */
const REASON_LENGTH_MAX = 500

/** Reads why an operator does something. */
export function parseReason(text: string): string {
  const words = text.trim()
  if (words === '' || words.length > REASON_LENGTH_MAX || /\p{Cc}/u.test(words)) {
    throw new InvalidArgumentError(`Give a reason of 1 to ${REASON_LENGTH_MAX} characters on one line.`)
  }
  return words
}

/** Reads the id of a deposit, with its prefix or without. */
export function parseDepositId(text: string): string {
  const id = text.replace(/^dep_/, '')
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id)) return id
  throw new InvalidArgumentError('Give the id of a deposit, such as "deposits list" shows it.')
}

/** Reads a price in US dollars for one unit. */
export function parseUsdPrice(text: string): string {
  if (/^\d{1,9}(\.\d{1,12})?$/.test(text) && !/^[0.]+$/.test(text)) return text
  throw new InvalidArgumentError('Give US dollars as a plain decimal above 0, such as 2500.5.')
}
