import { Time } from './time.tsx'

const HOUR_SECONDS = 3_600

/** The gateway notes uses to the hour. @param props.seconds since the epoch; null for never. */
export function LastUsed({ seconds }: { readonly seconds: number | null }) {
  if (seconds === null) return <span className="text-soft">never</span>
  return Date.now() / 1_000 - seconds < HOUR_SECONDS ? <>within the hour</> : <Time seconds={seconds} />
}
