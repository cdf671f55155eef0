/** What the definitions of commands share: options that several have, and how a command starts its work. */
import { InvalidArgumentError, Option } from '@commander-js/extra-typings'

/** Examples below the help of a command. */
export function examples(...lines: readonly string[]): string {
  return `\nExamples:\n${lines.map((line) => `  $ ${line}`).join('\n')}\n`
}

const WHOLE_NUMBER_MAX = 999_999_999

/** @throws {InvalidArgumentError} when it is not a whole number from 1 to 999,999,999. */
export function wholeNumber(text: string): number {
  const value = Number(text)
  if (/^\d{1,9}$/.test(text) && value >= 1) return value
  throw new InvalidArgumentError(`Expected a whole number from 1 to ${WHOLE_NUMBER_MAX}.`)
}

/** @throws {InvalidArgumentError} when it is not a decimal number. */
export function decimal(text: string): number {
  if (/^-?\d{1,9}(?:\.\d{1,9})?$/.test(text)) return Number(text)
  throw new InvalidArgumentError('Expected a number such as 0.7, with at most nine digits on each side of the point.')
}

/** The text of an amount as it was given, so that no digit is lost. @throws {InvalidArgumentError} when it is none. */
function credits(text: string): string {
  if (/^\d{1,9}(?:\.\d{1,9})?$/.test(text)) return text
  throw new InvalidArgumentError('Expected an amount of credits such as 5 or 0.25, with at most nine decimals.')
}

/** The options of every command that is charged. What they do is done where it is connected: see `spending.ts`. */
export const paidOptions = {
  maxCredits: new Option('--max-credits <credits>', 'the most that a request may cost').argParser(credits),
  quote: new Option('--quote', 'show what it can cost, and send nothing'),
} as const

/** An option that can be given several times. */
export function collect(value: string, before: readonly string[] | undefined): readonly string[] {
  return [...(before ?? []), value]
}
