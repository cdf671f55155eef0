import { Time } from './time.tsx'

const HOUR_SECONDS = 3_600

/**
 * When a key was used last. The gateway notes uses by the hour that they fall into, so nothing finer is said of them.
 *
 * @param props.seconds when that hour began, since the epoch; null for never.
 */
export function LastUsed({ seconds }: { readonly seconds: number | null }) {
  if (seconds === null) return <span className="text-soft">never</span>
  const hours = Math.floor((Date.now() / 1_000 - seconds) / HOUR_SECONDS)
  if (hours < 1) return <>within the hour</>
  return hours < 2 ? <>within 2 hours</> : <Time seconds={seconds} />
}
