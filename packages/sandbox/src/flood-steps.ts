import type { Step } from './play-steps.ts'
import { renderUsage } from './usage-report.ts'

const CHUNK_BYTES = 16_384
const CHUNKS_PER_MEBIBYTE = 1_048_576 / CHUNK_BYTES
const TEXT = 'The sandbox sends much text at full speed.    \\n'
  .repeat(CHUNK_BYTES / 32)
  .slice(0, CHUNK_BYTES - 1)
  .replace(/\\$/, '.')

/** What a flood needs to know; its usage counts each chunk as one token. */
export interface Flood {
  readonly id: string
  readonly createdMs: number
  readonly model: string
  readonly mebibytes: number
  readonly promptTokens: number
  readonly costOf: (completionTokens: number) => string | null
}

/** How many chunks, and so tokens, a flood has. */
export function floodTokens(mebibytes: number): number {
  return mebibytes * CHUNKS_PER_MEBIBYTE
}

/** The steps of a streamed answer of so many MiB, all without a wait. */
export function* streamedFlood(flood: Flood): Generator<Step> {
  const chunk = (rest: string): string => `data: ${headOf(flood, 'chat.completion.chunk')}${rest}}\n\n`
  const text = chunk(`"choices":[{"index":0,"delta":{"role":"assistant","content":"${TEXT}"},"finish_reason":null}]`)
  const tokens = floodTokens(flood.mebibytes)
  for (let sent = 1; sent <= tokens; sent++) yield { kind: 'write', text, waitMs: 0, tokens: sent }
  const finish = chunk('"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]')
  const usage = chunk(`"choices":[],"usage":${usageText(flood)}`)
  yield { kind: 'write', text: `${finish}${usage}data: [DONE]\n\n`, waitMs: 0, tokens }
}

/** The steps of the same answer in one JSON body. */
export function* wholeFlood(flood: Flood): Generator<Step> {
  const tokens = floodTokens(flood.mebibytes)
  const head = headOf(flood, 'chat.completion')
  const before = `${head}"choices":[{"index":0,"finish_reason":"stop","message":{"role":"assistant","content":"`
  yield { kind: 'write', text: before, waitMs: 0, tokens: 0 }
  for (let sent = 1; sent <= tokens; sent++) yield { kind: 'write', text: TEXT, waitMs: 0, tokens: sent }
  yield { kind: 'write', text: `"}}],"usage":${usageText(flood)}}`, waitMs: 0, tokens }
}

function headOf({ id, createdMs, model }: Flood, object: string): string {
  const fields = JSON.stringify({ id, object, created: Math.floor(createdMs / 1000), model, provider: 'Sandbox' })
  return `${fields.slice(0, -1)},`
}

function usageText(flood: Flood): string {
  const completionTokens = floodTokens(flood.mebibytes)
  const usage = {
    promptTokens: flood.promptTokens,
    completionTokens,
    cachedTokens: 0,
    cacheWriteTokens: 0,
    reasoningTokens: 0,
  }
  return renderUsage(usage, flood.costOf(completionTokens))
}
