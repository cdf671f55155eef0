/** Whether the gateway can be reached, as the last requests found. While it cannot, it is asked again and again. */
import { ApiError } from '@svc/contract'

/** The pauses between two looks; the last one stays. In milliseconds. Source: own choice. */
const PAUSES_MS = [500, 1_000, 2_000, 4_000, 8_000] as const

const listeners = new Set<() => void>()
let isLost = false
/** Ends the present pause at once. */
let hurry: () => void = () => undefined

function set(next: boolean): void {
  if (isLost === next) return
  isLost = next
  for (const listener of listeners) listener()
}

/** Whether anything but a network without the gateway could have said this: a proxy answers in place of a server that is gone. */
export function isUnreachable(error: unknown): boolean {
  if (error instanceof ApiError) return error.code === null && error.status >= 502 && error.status <= 504
  return error instanceof Error && error.name === 'ConnectionError'
}

/** Asks the gateway itself, not a proxy or a cache before it: every answer of its own has an id. */
async function isThere(): Promise<boolean> {
  try {
    const { headers } = await fetch('/api/health', { method: 'HEAD', cache: 'no-store' })
    return headers.has('x-request-id')
  } catch {
    return false
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms)
    hurry = () => {
      clearTimeout(timer)
      resolve()
    }
  })
}

async function watch(): Promise<void> {
  for (let looks = 0; !(await isThere()); looks += 1) {
    set(true)
    await pause(PAUSES_MS[Math.min(looks, PAUSES_MS.length - 1)] ?? 0)
  }
  set(false)
}

let watching: Promise<void> | null = null

/**
 * Looks whether the gateway is there, and goes on until it is.
 *
 * @returns when it is; at once, but for one request, where nothing is wrong.
 */
export function untilReached(): Promise<void> {
  watching ??= watch().finally(() => {
    watching = null
  })
  return watching
}

export const connection = {
  /** Called at each change. @returns what ends that. */
  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener)
    return () => listeners.delete(listener)
  },
  isLost: (): boolean => isLost,
}

/** Looks at what the browser says of its network: it may be wrong of a gateway on the same machine. */
export function watchNetwork(): void {
  addEventListener('offline', () => void untilReached())
  addEventListener('online', () => hurry())
}
