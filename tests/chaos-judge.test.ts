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
  const { rowsByTag, parts } = matchRows({
    ...{ stories: asked.map(storyOf), lines: [], planOf, books: { usage }, holdByJob: new Map() },
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
