import type { ModelEntry } from '@svc/contract'
import type { ApiConnection } from './api-connection.ts'
import { CommandError } from './command-error.ts'

/**
 * The model that is meant where none is named: the gateway's first of that kind, since its list begins with what its
 * operator features.
 *
 * @throws {CommandError} when the gateway has none.
 */
export async function defaultModel(
  { client, endpoints }: ApiConnection,
  type: ModelEntry['svc']['type'],
  signal: AbortSignal,
): Promise<string> {
  const query = { type, limit: 1 }
  const [first] = (await client.call(endpoints.listModels, { query }, { signal })).data
  if (first !== undefined) return first.id
  throw new CommandError(`This gateway has no model for ${type}.`, { advice: '`svc models` shows what it has.' })
}
