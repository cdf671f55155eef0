/** The models that a completion offers: those that were seen last, read anew where that is quick. */
import type { Context } from '../context.ts'
import { keepModelList, keepSeenModels, readSeenModels, type SeenModel } from '../settings/model-cache.ts'
import type { Settings } from '../settings/settings.ts'

/** How long a list is taken as it is, in milliseconds. Source: own choice. */
const FRESH_MS = 3_600_000
/** How long a gateway that gave no list is left alone, in milliseconds. Source: own choice. */
const LEFT_ALONE_MS = 30_000
/** The longest that a person waits for a list, in milliseconds. Source: own choice. */
const WAIT_MS = 1_000

/**
 * Lists the models of the gateway that a command line means. Waits a second at most, and sends no request where no key
 * is known; what goes wrong leaves what was seen last.
 */
export async function knownModels(
  { terminal, settingsFolder }: Pick<Context, 'terminal' | 'settingsFolder'>,
  settings: Settings,
  now: number,
  waitMs = WAIT_MS,
): Promise<readonly SeenModel[]> {
  const { baseUrl, key } = settings
  const seen = readSeenModels(settingsFolder, baseUrl)
  if (key === null || now - seen.seenAt < FRESH_MS || now - seen.askedAt < LEFT_ALONE_MS) return seen.models
  // Noted before, so that the next press of the key finds it, however this one ends.
  keepSeenModels(settingsFolder, baseUrl, { ...seen, askedAt: now })
  try {
    const [{ createClient, endpoints }, { createTransport }] = await Promise.all([
      import('@svc/contract'),
      import('../transport/transport.ts'),
    ])
    const client = createClient({ baseUrl, key, fetch: createTransport(terminal.environment), retriesMax: 0 })
    const signal = AbortSignal.any([terminal.signal, AbortSignal.timeout(waitMs)])
    const list = await client.call(endpoints.listModels, {}, { signal })
    keepModelList(settingsFolder, baseUrl, list.data, now)
    return readSeenModels(settingsFolder, baseUrl).models
  } catch {
    return seen.models
  }
}
