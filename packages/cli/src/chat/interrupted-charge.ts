import type { ApiConnection } from '../api-connection.ts'
import { creditsText } from '../credits-text.ts'

/** How long and how often a request that was interrupted is looked up, in milliseconds. */
const LOOKUP_MS = 8_000
const LOOKUP_EVERY_MS = 250

/**
 * What a request cost that was stopped in its middle: the gateway knows it a moment later.
 *
 * @param requestId null when no answer had begun: then there is no record to find.
 * @returns a sentence; never rejects.
 */
export async function interruptedCharge(api: ApiConnection, requestId: string | null): Promise<string> {
  if (requestId === null) return 'Stopped before the answer began.'
  const deadline = AbortSignal.timeout(LOOKUP_MS)
  while (!deadline.aborted) {
    const charged = await lookUp(api, requestId, deadline)
    if (charged !== null) return `Stopped. Charged ${charged} for what had come.`
    await new Promise((resolve) => setTimeout(resolve, LOOKUP_EVERY_MS))
  }
  return `Stopped. The charge is not known yet: svc usage ${requestId}`
}

async function lookUp(api: ApiConnection, requestId: string, signal: AbortSignal): Promise<string | null> {
  try {
    const record = await api.client.call(api.endpoints.getUsage, { path: { request_id: requestId } }, { signal })
    if (record.state !== 'final') return null
    return `${creditsText(record.credits_charged)}${record.estimated ? ' (estimated)' : ''}`
  } catch {
    return null
  }
}
