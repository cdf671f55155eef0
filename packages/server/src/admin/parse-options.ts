import { InvalidArgumentError } from 'commander'
import { parseCredits, type Nanocredits } from '@svc/contract'
import { isRight, RIGHTS } from '../keys/key-permissions.ts'
import type { Right } from '../keys/caller.ts'

/** Reads an amount in credits: an exact decimal, which may be negative. */
export function parseAmount(text: string): Nanocredits {
  const amount = parseCredits(text)
  if (amount === null || amount === 0n) {
    throw new InvalidArgumentError(
      'Give credits as a decimal other than 0, such as 1000 or 0.5, with at most 9 decimals.',
    )
  }
  return amount
}

/** Reads an amount in credits that must be more than 0. */
export function parsePositiveAmount(text: string): Nanocredits {
  const amount = parseAmount(text)
  if (amount < 0n) throw new InvalidArgumentError('Give more than 0 credits.')
  return amount
}

/** Reads an ISO 8601 date or time. @returns milliseconds since the epoch. */
export function parseTime(text: string): number {
  const ms = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(ms))
    throw new InvalidArgumentError('Give a date or time such as 2030-12-31 or 2030-12-31T18:00:00Z.')
  return ms
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
