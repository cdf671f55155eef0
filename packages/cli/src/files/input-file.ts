import { openAsBlob } from 'node:fs'
import { stat } from 'node:fs/promises'
import path from 'node:path'
import { CommandError } from '../command-error.ts'
import { exitCodes } from '../exit-codes.ts'

/**
 * A file of this machine for a form. It is read when it is sent, and never whole into memory.
 *
 * @throws {CommandError} when it is no file, cannot be read, or is empty.
 */
export async function inputFile(name: string): Promise<File> {
  const wrong = (problem: string, more: { readonly advice?: string; readonly cause?: unknown } = {}): CommandError =>
    new CommandError(`${name} ${problem}.`, { exitCode: exitCodes.wrongUsage, ...more })
  let blob: Blob
  try {
    const found = await stat(name)
    if (found.isDirectory()) throw wrong('is a folder')
    // Its length is sent before it, and a pipe has none.
    if (!found.isFile()) throw wrong('is no file', { advice: 'Write the audio into a file first.' })
    blob = await openAsBlob(name)
  } catch (cause) {
    throw cause instanceof CommandError ? cause : wrong('cannot be read', { cause })
  }
  if (blob.size === 0) throw wrong('is empty')
  return new File([blob], path.basename(name))
}
