import { readFileSync } from 'node:fs'
import type { z } from 'zod'
import { InvariantError } from '../errors/invariant-error.ts'

/**
 * Reads a JSON file of the product's `data` folder.
 *
 * @throws {InvariantError} when it is missing or has another form: the installation is damaged.
 */
export function readDataFile<Schema extends z.ZodType>(name: string, schema: Schema): z.output<Schema> {
  let json: unknown
  try {
    json = JSON.parse(readFileSync(new URL(`../../data/${name}`, import.meta.url), 'utf8'))
  } catch (cause) {
    throw new InvariantError(`The file data/${name} of the gateway cannot be read. Install it again.`, { cause })
  }
  const parsed = schema.safeParse(json)
  if (parsed.success) return parsed.data
  throw new InvariantError(`The file data/${name} of the gateway is damaged. Install it again.`, { cause: parsed.error })
}
