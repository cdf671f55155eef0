/**
 * What a caller pays who leaves a stream, by what the upstream does about it. `docs/money.md` shows the same table;
 * each cell is a test at every point of the stream.
 */
import { readFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { describe, expect, test } from 'vitest'
import type { UsageRecordBody } from '@svc/contract'
import { beginStream, chunkText, sendEvent, usageText } from '../packages/server/testing/stub-upstream.ts'
import { useGateway } from '../packages/server/testing/use-gateway.ts'
import { useStubUpstream } from '../packages/server/testing/use-stub-upstream.ts'
import { SVC_GPT } from './charge-of.ts'
import { QUESTION } from './events-of.ts'
import { hasText, openStream, recordOf } from './open-stream.ts'

type Record = UsageRecordBody & { readonly charge: bigint }

/** Pieces of text in a whole answer; each has eight bytes. */
const PIECES = 19
const USD_PER_PIECE = 100_000_000n
const costCharge = (pieces: number): bigint => (BigInt(pieces) * USD_PER_PIECE * 12n) / 10n
const cardCharge = (prompt: number, completion: number): bigint =>
  BigInt(prompt) * SVC_GPT.input + BigInt(completion) * SVC_GPT.output

interface Row {
  /** As in the document. */
  readonly upstream: string
  readonly leavesInTheMiddle: string
  readonly leavesAfterTheEnd: string
  readonly kind: 'openrouter' | 'openai-compatible'
  /** What goes out with each piece. */
  readonly withPiece: (response: ServerResponse, piece: number) => void
  /** What the look-up says of a stream that was left after so many pieces, at the n-th time. */
  readonly lookUp: (pieces: number, asked: number) => string | null
  readonly charge: (pieces: number, record: Record) => bigint
}

const nothing = (): void => undefined
const usd = (pieces: number): string => `{"data":{"total_cost":${pieces / 10_000}}}`

const TABLE: readonly Row[] = [
  {
    upstream: 'stops, and can be asked for the cost',
    leavesInTheMiddle: 'the cost of what was made until then',
    leavesAfterTheEnd: 'the cost of the whole answer',
    kind: 'openrouter',
    withPiece: nothing,
    lookUp: (pieces) => usd(pieces),
    charge: (pieces) => costCharge(pieces),
  },
  {
    upstream: 'goes on and bills all, and can be asked for the cost a while later',
    leavesInTheMiddle: 'the cost of the whole answer',
    leavesAfterTheEnd: 'the cost of the whole answer',
    kind: 'openrouter',
    withPiece: nothing,
    lookUp: (_pieces, asked) => (asked < 3 ? null : usd(PIECES)),
    charge: () => costCharge(PIECES),
  },
  {
    upstream: 'reports neither usage nor cost',
    leavesInTheMiddle: 'what was delivered, estimated',
    leavesAfterTheEnd: 'what was delivered, estimated',
    kind: 'openai-compatible',
    withPiece: nothing,
    lookUp: () => null,
    charge: (pieces, record) => {
      expect(record).toMatchObject({ estimated: true, completion_tokens: pieces * 2 })
      return cardCharge(record.prompt_tokens ?? -1, pieces * 2)
    },
  },
  {
    upstream: 'reports its usage as it goes',
    leavesInTheMiddle: 'the last usage, and what was delivered since, estimated',
    leavesAfterTheEnd: 'the last usage',
    kind: 'openai-compatible',
    withPiece: (response, piece) => sendEvent(response, usageText({ prompt_tokens: 11, completion_tokens: piece * 3 })),
    lookUp: () => null,
    charge: (pieces) => cardCharge(11, pieces * 3),
  },
]

test('the table in the document is this one', () => {
  const page = readFileSync(new URL('../docs/money.md', import.meta.url), 'utf8')
  for (const row of TABLE) {
    expect(page).toContain(`| ${row.upstream} | ${row.leavesInTheMiddle} | ${row.leavesAfterTheEnd} |`)
  }
})

describe.concurrent.each(TABLE)('an upstream that $upstream', (row) => {
  const stub = useStubUpstream()
  const gateway = useGateway(() => ({ upstreamUrl: stub.url, kind: row.kind, credits: '1000000' }))
  const asked = new Map<string, number>()
  stub.onOther = (call, response) => {
    const id = /generation\?id=gen-(\d+)/.exec(call.path)?.[1]
    const times = (asked.get(id ?? '') ?? 0) + 1
    asked.set(id ?? '', times)
    const body = id === undefined ? null : row.lookUp(Number(id), times)
    response.writeHead(body === null ? 404 : 200, { 'content-type': 'application/json' }).end(body ?? '{}')
  }
  stub.onChat = (call, response) => {
    const pieces = Number(call.json?.['user'])
    // The answer's id says how much of it the caller reads, for the look-up above.
    beginStream(response, row.kind === 'openrouter' ? { 'x-generation-id': `gen-${Math.min(pieces, PIECES)}` } : {})
    for (let piece = 1; piece <= Math.min(pieces, PIECES); piece++) {
      sendEvent(response, chunkText({ content: 'a word, ' }))
      row.withPiece(response, piece)
    }
    if (pieces > PIECES) sendEvent(response, chunkText({}, 'stop'))
  }

  test('is paid by the table wherever its caller leaves, and every hold is closed', { timeout: 180_000 }, async () => {
    // 1 to 19 pieces, and 20 for the whole answer with its finish.
    const points = Array.from({ length: PIECES + 1 }, (_, index) => index + 1)
    const left = await Promise.all(
      points.map(async (point) => {
        const stream = await openStream(gateway, { ...QUESTION, user: String(point) })
        for (let read = 0; read < Math.min(point, PIECES); read++) await stream.until(hasText)
        stream.leave()
        return { point, requestId: stream.requestId }
      }),
    )
    await gateway.settled()
    for (const { point, requestId } of left) {
      const record = await recordOf(gateway, requestId)
      const pieces = Math.min(point, PIECES)
      expect([point, record.charge]).toEqual([point, row.charge(pieces, record)])
      // A client that leaves after the end has had a whole answer.
      expect([point, record.status]).toEqual([point, point > PIECES ? 'ok' : 'cancelled'])
    }
    expect((await gateway.balance()).held).toBe(0n)
  })
})
