import { expect, test } from 'vitest'
import { matchRows } from '../proof/chaos/rounds/match-rows.ts'
import type { AttemptEnd } from '../proof/chaos/attempt.ts'
import type { PaidAttempt } from '../proof/chaos/rounds/paid-client.ts'
import { type PaidKind, requestOf } from '../proof/chaos/rounds/paid-kinds.ts'
import type { PaidStory } from '../proof/chaos/rounds/paid-load.ts'
import { dueOf, type PaidBehaviour, planPaid } from '../proof/chaos/rounds/paid-plan.ts'
import type { RoundUsage } from '../proof/chaos/rounds/round-books.ts'

const SEED = 7

/** A question that was sent once by a client of an account, and how that ended. */
interface Asked {
  readonly tag: number
  readonly kind: PaidKind
  readonly behaviour: PaidBehaviour
  readonly end: AttemptEnd
  readonly requestId?: string
  readonly accountId?: string
  /** Answers that the upstream delivered whole. */
  readonly delivered?: number
}

function storyOf({ tag, kind, end, requestId, accountId = 'one' }: Asked): PaidStory {
  const attempt = { tag, kind, end, requestId: requestId ?? null, jobId: null } as unknown as PaidAttempt
  return {
    question: { tag, kind, name: null, rawKey: '', request: requestOf(kind, SEED, tag) },
    ...{ key: { keyId: 'k', accountId, rawKey: '' }, attempts: [attempt], video: null },
  }
}

function match(asked: readonly Asked[], rows: readonly Partial<RoundUsage>[]) {
  const planOf = (tag: number) => {
    const found = asked.find((each) => each.tag === tag)
    return { ...planPaid(found?.kind ?? 'chat', SEED, tag), behaviour: found?.behaviour ?? 'whole' }
  }
  const usage = rows.map((row, at): RoundUsage => ({
    ...{ usage_id: `row ${at}`, account_id: 'one', type: 'transcription', status: 'error', error_code: null },
    ...{ charge: 0n, write_off: 0n, generation_id: null, ...row },
  }))
  const lines = asked.flatMap(({ tag, delivered = 0 }) =>
    Array.from({ length: delivered }, (_, at) => ({
      tag,
      plan: planOf(tag),
      generationId: `${tag}-${at}`,
      isWhole: true,
    })),
  )
  const { rowsByTag, parts } = matchRows({
    ...{ stories: asked.map(storyOf), lines, planOf, books: { usage }, holdByJob: new Map() },
  })
  const tags = new Map([...rowsByTag].map(([tag, found]) => [tag, found.map(({ usage_id: id }) => id)]))
  return { tags, parts }
}

const CUT = { tag: 40, kind: 'transcription_stream', behaviour: 'cut', end: 'left' } as const
const due = dueOf(planPaid(CUT.kind, SEED, CUT.tag), CUT.tag)

test('a part of a cut answer belongs to the client who left before it knew an id', () => {
  const { tags, parts } = match([CUT], [{ charge: due / 2n }])
  expect(tags.get(CUT.tag)).toEqual(['row 0'])
  expect([...parts]).toEqual(['row 0'])
})

test('one attempt explains one row: a second charge is still unexplained', () => {
  const { tags } = match([CUT], [{ charge: due / 2n }, { charge: due / 3n }])
  expect([...tags.values()].flat()).toEqual(['row 0'])
})

test.each([
  ['more than the whole answer costs', CUT, { charge: due + 1n }],
  ['of another account', CUT, { charge: due / 2n, account_id: 'two' }],
  ['of another kind', CUT, { charge: due / 2n, type: 'image' }],
  ['of an answer that was not cut', { ...CUT, behaviour: 'whole' as const }, { charge: due / 2n }],
  ['of a client who stayed', { ...CUT, end: 'broken' as const }, { charge: due / 2n }],
  ['of a client who knows its id', { ...CUT, requestId: 'another' }, { charge: due / 2n }],
])('a charge %s is unexplained', (_name, asked, row) => {
  const { tags, parts } = match([asked], [row])
  expect([tags.size, parts.size]).toEqual([0, 0])
})

test('the row of a whole answer takes its own attempt first', () => {
  const whole = { ...CUT, tag: 41, behaviour: 'whole' } as const
  const price = dueOf(planPaid(whole.kind, SEED, whole.tag), whole.tag)
  const { tags, parts } = match([CUT, whole], [{ charge: due / 2n }, { charge: price }])
  expect([tags.get(CUT.tag), tags.get(whole.tag)]).toEqual([['row 0'], ['row 1']])
  expect([...parts]).toEqual(['row 0'])
})

/** Two questions of one price: a transcript's tag decides it, fifty tags apart it is the same. */
const NAMELESS = { kind: 'transcription', behaviour: 'whole', end: 'left' } as const
const other = { ...NAMELESS, tag: 91, delivered: 1 }

test('a row that two questions could have goes to the one that the upstream delivered without a row', () => {
  const known = { ...NAMELESS, tag: 41, requestId: 'row 0', delivered: 1 }
  const again = { ...NAMELESS, tag: 41 }
  const price = dueOf(planPaid(NAMELESS.kind, SEED, 41), 41)
  const { tags } = match([other, known, again], [{ charge: price }, { charge: price }])
  expect([tags.get(41), tags.get(91)]).toEqual([['row 0'], ['row 1']])
})

test('a second charge for one delivered answer stays with its question', () => {
  const known = { ...NAMELESS, tag: 41, requestId: 'row 0', delivered: 1 }
  const again = { ...NAMELESS, tag: 41 }
  const price = dueOf(planPaid(NAMELESS.kind, SEED, 41), 41)
  const rows = [{ charge: price }, { charge: price }, { charge: price }]
  const { tags } = match([known, again, other], rows)
  expect([tags.get(41)?.length, tags.get(91)?.length]).toEqual([2, 1])
})
