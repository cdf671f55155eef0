import { useSyncExternalStore } from 'react'

const SECOND_MS = 1_000

function everySecond(onChange: () => void): () => void {
  const timer = setInterval(onChange, SECOND_MS)
  return () => clearInterval(timer)
}

/** The present time in whole seconds since the epoch; what shows it is shown anew each second. */
export function useSeconds(): number {
  return useSyncExternalStore(everySecond, () => Math.floor(Date.now() / SECOND_MS))
}
