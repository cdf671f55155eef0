import { clsx } from 'clsx'
import { Figure, Figures } from '../../ui/facts.tsx'
import { Card } from '../../ui/page.tsx'
import { secondsText, shareText, type Speed } from './model-list.ts'

/** What this gateway measured of a model in the last days. */
export function MeasuredCard({ speed }: { readonly speed: Speed }) {
  const { tokens_per_second: tokens, first_content_ms: first, duration_ms: whole, success_rate: rate, days } = speed
  return (
    <Card title="Measured here in the last 7 days">
      <Figures>
        <Figure name="Success" note="without failures of the gateway or its upstreams">
          {shareText(rate)}
        </Figure>
        {first !== null && (
          <Figure name="First token" note="median of streams">
            {secondsText(first)}
          </Figure>
        )}
        {tokens !== null && (
          <Figure name="Speed" note="median, after the first token">
            {Math.round(tokens)} <span className="text-[15px] font-normal text-soft">tokens/s</span>
          </Figure>
        )}
        {whole !== null && tokens === null && (
          <Figure name="Whole answer" note="median">
            {secondsText(whole)}
          </Figure>
        )}
      </Figures>
      <ol aria-label="Success by day" className="mt-5 flex gap-1">
        {days.map((share, at) => (
          <li
            key={at}
            title={share === null ? 'No requests' : `${daysAgo(days.length - 1 - at)}: ${shareText(share)}`}
            className={clsx('h-7 flex-1 rounded-[3px]', lookOf(share))}
          >
            <span className="sr-only">
              {daysAgo(days.length - 1 - at)}: {share === null ? 'no requests' : shareText(share)}
            </span>
          </li>
        ))}
      </ol>
      <div className="mt-1 flex justify-between text-[12px] text-soft" aria-hidden>
        <span>{daysAgo(days.length - 1)}</span>
        <span>today</span>
      </div>
    </Card>
  )
}

const daysAgo = (days: number): string => (days === 0 ? 'today' : days === 1 ? 'yesterday' : `${days} days ago`)

/** Below these shares a day looks worse. Source: own choice. */
const [FINE, POOR] = [0.99, 0.9] as const

function lookOf(share: number | null): string {
  if (share === null) return 'bg-line/60'
  return share >= FINE ? 'bg-success' : share >= POOR ? 'bg-warning' : 'bg-danger'
}
