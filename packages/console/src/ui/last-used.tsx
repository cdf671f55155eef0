import { Time } from './time.tsx'

const HOUR_SECONDS = 3_600

/** When a key was last used: the gateway notes it to the hour. */
export function LastUsed({ seconds }: { readonly seconds: number | null }) {
  if (seconds === null) return <span className="text-soft">never</span>
  return Date.now() / 1_000 - seconds < HOUR_SECONDS ? <>within the hour</> : <Time seconds={seconds} />
}
