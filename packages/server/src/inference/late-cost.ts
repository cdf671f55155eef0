import type { AttoUsd } from '../pricing/price.ts'
import type { ChatUpstream } from '../upstream/chat-upstream.ts'

/** Waits before each look-up, in milliseconds: upstreams know a cost shortly after the end, not at once. Source: own choice. */
const WAITS_MS = [250, 750, 2_000] as const

/**
 * Asks an upstream what a generation cost in the end.
 *
 * @param pause waits; passed in so that tests need not.
 * @returns null when it has no such look-up, or does not know within a few tries.
 */
export async function findLateCost(
  upstream: ChatUpstream,
  generationId: string | null,
  pause: (milliseconds: number) => Promise<void>,
): Promise<AttoUsd | null> {
  if (generationId === null) return null
  for (const wait of WAITS_MS) {
    await pause(wait)
    // A look-up that fails is a look-up that does not know: what was delivered is charged instead.
    const cost = await upstream.findCost(generationId).catch(() => null)
    if (cost !== null) return cost
  }
  return null
}
