/** Keys of a ledger log as a command is given them: a key itself, or a file with a line for each. */
import { readFile } from 'node:fs/promises'
import { nodeCrypto } from '@svc/contract/log/node-crypto'
import { parseVerifierKey, type VerifierKey } from '@svc/contract/log/signed-note'
import { CommandError } from '../command-error.ts'
import { exitCodes } from '../exit-codes.ts'

/** @throws {CommandError} with the code for wrong usage where one is no key and no file of keys. */
export async function readLogKeys(given: readonly string[]): Promise<readonly VerifierKey[]> {
  return (await Promise.all(given.map(readSome))).flat()
}

async function readSome(given: string): Promise<readonly VerifierKey[]> {
  const own = parseVerifierKey(nodeCrypto.sha256, given)
  if (own !== null) return [own]
  const lines = (await readText(given)).split('\n').filter((line) => line.trim() !== '')
  return lines.map((line) => {
    const key = parseVerifierKey(nodeCrypto.sha256, line)
    if (key === null) throw wrongFile(`${given} holds something that is no key of a ledger log.`)
    return key
  })
}

/** Reads a file that the command line names. @throws {CommandError} with the code for wrong usage. */
export async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (cause) {
    throw wrongFile(`${file} cannot be read.`, cause)
  }
}

export function wrongFile(message: string, cause?: unknown): CommandError {
  return new CommandError(message, { exitCode: exitCodes.wrongUsage, cause })
}
