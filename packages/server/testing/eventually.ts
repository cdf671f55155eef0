import { vi } from 'vitest'

/**
 * Resolves with what the check answers once it passes; fails as it fails when it has not passed in time. Half a minute
 * is more than any machine needs that is merely busy; work that takes long by itself names its own time.
 */
export function eventually<Answer>(check: () => Answer | Promise<Answer>, withinMs = 30_000): Promise<Answer> {
  return vi.waitFor(check, { timeout: withinMs, interval: 20 })
}
