import { readFileSync } from 'node:fs'
import { InvariantError } from '../platform/errors/invariant-error.ts'

/**
 * Reads a JSON file of the product's `data` folder. The files are parts of the product: tests check them against full
 * schemas, so that a start spends no time on it.
 *
 * @throws {InvariantError} when it is missing or no JSON: the installation is damaged.
 */
export function readDataFile(name: string): unknown {
  try {
    return JSON.parse(readFileSync(new URL(`../../data/${name}`, import.meta.url), 'utf8'))
  } catch (cause) {
    throw new InvariantError(`The file data/${name} of the gateway cannot be read. Install it again.`, { cause })
  }
}
