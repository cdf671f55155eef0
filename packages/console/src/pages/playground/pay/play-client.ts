/**
 * How the playground pays: with a short-lived key of the page that the gateway makes for the session. It is in this
 * module's memory and nowhere else. Source: decision 0045 (the playground).
 */
import { ApiError, type Client, consoleEndpoints, createClient } from '@svc/contract'
import { consoleApi } from '../../../api/client.ts'

/** A key that ends sooner than this is not used for a new request. */
const LEFT_MIN_MS = 120_000

interface PageKey {
  readonly client: Promise<Client>
  /** Null while the gateway has not said. */
  id: string | null
  /** Milliseconds since the epoch; the end of time while the gateway has not said. */
  expiresAt: number
}

const keys = new Map<string, PageKey>()

function askForKey(teamId: string): PageKey {
  async function makeClient(): Promise<Client> {
    try {
      const made = await consoleApi.call(consoleEndpoints.createPlaygroundKey, { path: { team_id: teamId } })
      key.id = made.id
      key.expiresAt = made.expires_at * 1_000
      return createClient({ baseUrl: `${location.origin}/api`, key: made.key })
    } catch (error) {
      keys.delete(teamId)
      throw error
    }
  }
  const key: PageKey = { client: makeClient(), id: null, expiresAt: Infinity }
  return key
}

/**
 * A client that spends the team's credits. Asks for a key where there is none, or the last one ends soon; requests
 * that begin together share one.
 *
 * @throws {ApiError} what the gateway answers where the person may have no key.
 */
export function playClient(teamId: string): Promise<Client> {
  const known = keys.get(teamId)
  const key = known !== undefined && known.expiresAt - Date.now() > LEFT_MIN_MS ? known : askForKey(teamId)
  keys.set(teamId, key)
  return key.client
}

/** The id of the key that the page pays with now, by which its requests are found in the usage. */
export const playKeyId = (teamId: string): string | null => keys.get(teamId)?.id ?? null

/** Whether the gateway has said that the page's key is worth nothing any more. */
export const isKeyGone = (error: unknown): boolean => error instanceof ApiError && error.is('invalid_api_key')

/** Drops the page's key, so that the next request of a person gets a new one. Nothing is repeated by itself. */
export function dropKey(teamId: string): void {
  keys.delete(teamId)
}

/** Drops everything: the person signs out. */
export function dropAllKeys(): void {
  keys.clear()
}
