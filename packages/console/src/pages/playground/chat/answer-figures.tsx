import { shortDecimal } from '@svc/contract'
import type { Answer } from './conversation.ts'

const secondsText = (ms: number): string => `${(ms / 1_000).toFixed(ms < 10_000 ? 2 : 1)} s`

/** Shorter than this says nothing of a speed. */
const STREAM_MS_MIN = 50

/** Tokens and times of an answer, as this page saw them. */
export function AnswerFigures({ answer: { tokens, firstMs, totalMs } }: { readonly answer: Answer }) {
  const parts: string[] = []
  if (tokens !== null) {
    const thought = tokens.reasoning === 0 ? '' : ` (${tokens.reasoning.toLocaleString()} reasoning)`
    parts.push(`${tokens.input.toLocaleString()} tokens in`, `${tokens.output.toLocaleString()} out${thought}`)
  }
  if (firstMs !== null) parts.push(`first token after ${secondsText(firstMs)}`)
  const streamed = totalMs === null || firstMs === null ? 0 : totalMs - firstMs
  if (tokens !== null && tokens.output > 1 && streamed >= STREAM_MS_MIN) {
    parts.push(`${shortDecimal(((tokens.output / streamed) * 1_000).toFixed(1))} tokens/s`)
  }
  if (totalMs !== null) parts.push(`${secondsText(totalMs)} in all`)
  if (parts.length === 0) return null
  return (
    <p className="figures text-[12px] text-soft" data-testid="figures">
      {parts.join(' · ')}
    </p>
  )
}
