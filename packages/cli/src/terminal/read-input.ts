import type { Readable } from 'node:stream'
import { CommandError } from '../command-error.ts'

/** Most bytes that are read from a pipe into one request. The gateway takes no larger body. */
const INPUT_BYTES_MAX = 20 * 1024 * 1024

/** Means the standard input where a text or a file is given. */
export const STANDARD_INPUT = '-'

/**
 * The text of a command: its words, or what is piped where there are none, or where they are a dash.
 *
 * @returns null when there is neither.
 * @throws {CommandError} as `readPipedText` does.
 */
export async function readText(
  words: readonly string[],
  input: Readable & { readonly isTTY?: boolean },
): Promise<string | null> {
  const isPiped = words.length === 0 || (words.length === 1 && words[0] === STANDARD_INPUT)
  return isPiped ? readPipedText(input) : words.join(' ')
}

/**
 * Reads a piped standard input to its end, as text.
 *
 * @returns null when nothing is piped: a terminal, or an empty input.
 * @throws {CommandError} when it is longer than a request can be, or is not text.
 */
export async function readPipedText(input: Readable & { readonly isTTY?: boolean }): Promise<string | null> {
  if (input.isTTY === true) return null
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of input) {
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : (chunk as Uint8Array)
    length += bytes.byteLength
    if (length > INPUT_BYTES_MAX) {
      throw new CommandError(`The input is larger than ${INPUT_BYTES_MAX} bytes.`, { advice: 'Send a shorter text.' })
    }
    chunks.push(bytes)
  }
  if (length === 0) return null
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks))
  } catch (cause) {
    throw new CommandError('The input is not text in UTF-8.', {
      advice: 'Give an image with --image FILE, and audio to `svc transcribe`.',
      cause,
    })
  }
}
