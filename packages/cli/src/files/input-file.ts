import { openAsBlob } from 'node:fs'
import path from 'node:path'
import { CommandError } from '../command-error.ts'
import { exitCodes } from '../exit-codes.ts'

/**
 * A file of this machine for a form. It is read when it is sent, and never whole into memory.
 *
 * @throws {CommandError} when it cannot be read, or is empty.
 */
export async function inputFile(name: string): Promise<File> {
  let blob: Blob
  try {
    blob = await openAsBlob(name)
  } catch (cause) {
    throw new CommandError(`${name} cannot be read.`, { exitCode: exitCodes.wrongUsage, cause })
  }
  if (blob.size === 0) throw new CommandError(`${name} is empty.`, { exitCode: exitCodes.wrongUsage })
  return new File([blob], path.basename(name))
}
