/** To which question each row of the books belongs, whether or not a client knows its id. */
import { usageTypes } from '@svc/contract'
import type { PaidStory } from './paid-load.ts'
import { dueOf, isTalk, mostOf, type PaidPlan } from './paid-plan.ts'
import type { PaidLine } from './paid-upstream.ts'
import type { RoundBooks, RoundUsage } from './round-books.ts'

export interface MatchEvidence {
  readonly stories: readonly PaidStory[]
  readonly lines: readonly PaidLine[]
  readonly planOf: (tag: number) => PaidPlan
  readonly books: Pick<RoundBooks, 'usage'>
  readonly holdByJob: ReadonlyMap<string, string>
}

export interface MatchedRows {
  readonly rowsByTag: ReadonlyMap<number, readonly RoundUsage[]>
  /** Rows of answers that were cut: only the attempt of the client identifies them. */
  readonly parts: ReadonlySet<string>
}

/** An attempt whose client knows no request id. It explains one row at most. */
interface Nameless {
  readonly story: PaidStory
  readonly due: bigint
  readonly most: bigint
  /** The upstream broke the answer off, and the client had gone before it knew an id. */
  readonly isCutAndLeft: boolean
  isTaken: boolean
}

function namelessOf({ stories, planOf }: MatchEvidence): Nameless[] {
  return stories.flatMap((story) => {
    const { tag, request } = story.question
    const plan = planOf(tag)
    return story.attempts
      .filter(({ requestId }) => requestId === null)
      .map(({ end }) => ({
        ...{ story, due: dueOf(plan, tag), most: mostOf(plan, tag, request.body.length), isTaken: false },
        isCutAndLeft: plan.behaviour === 'cut' && end === 'left',
      }))
  })
}

/** What the books call the kind of a question. */
function typeOf({ question: { kind } }: PaidStory): string {
  if (isTalk(kind)) return 'chat'
  return usageTypes.find((type) => kind.startsWith(type)) ?? kind
}

/**
 * A row that costs less than the whole answer: it belongs to an attempt of its account and its kind that was cut and left.
 * Of several it takes the one that could have cost least, so that dearer rows find theirs.
 */
function findPart(nameless: readonly Nameless[], row: RoundUsage): Nameless | undefined {
  return nameless
    .filter(({ story, isCutAndLeft, isTaken }) => isCutAndLeft && !isTaken && story.key.accountId === row.account_id)
    .filter(({ story, most }) => typeOf(story) === row.type && paidFor(row) <= most)
    .toSorted((left, right) => Number(left.most - right.most))[0]
}

/**
 * A row that costs as much as a whole answer: it belongs to an attempt of its account, kind and price. Several questions
 * have one price, so one that the upstream delivered more often than it has rows comes first.
 */
function findWhole(
  nameless: readonly Nameless[],
  row: RoundUsage,
  isUnexplained: (tag: number) => boolean,
): Nameless | undefined {
  const found = nameless
    .filter(({ story, due, isTaken }) => !isTaken && due === paidFor(row) && story.key.accountId === row.account_id)
    .filter(({ story }) => typeOf(story) === row.type)
  return found.findLast(({ story }) => isUnexplained(story.question.tag)) ?? found.at(-1)
}

function paidFor({ charge, write_off: writeOff }: RoundUsage): bigint {
  return charge + writeOff
}

/** By a request that a client knows, by the upstream's id, by its price, or as the part of an answer that was cut. */
export function matchRows(evidence: MatchEvidence): MatchedRows {
  const { stories, lines, books, holdByJob } = evidence
  const tagById = new Map<string, number>()
  for (const { question, attempts } of stories) {
    for (const { requestId, jobId } of attempts) {
      if (requestId !== null) tagById.set(requestId, question.tag)
      if (jobId !== null) tagById.set(holdByJob.get(jobId) ?? '', question.tag)
    }
  }
  const tagByGeneration = new Map(lines.map(({ generationId, tag }) => [generationId, tag]))
  const take = (found: Nameless | undefined): number | undefined => {
    if (found === undefined) return undefined
    found.isTaken = true
    return found.story.question.tag
  }
  const groups = new Map<number, RoundUsage[]>()
  const parts = new Set<string>()
  const add = (tag: number, row: RoundUsage): void => void groups.set(tag, [...(groups.get(tag) ?? []), row])
  const isUnexplained = (tag: number): boolean => {
    const rows = groups.get(tag)?.filter((row) => paidFor(row) > 0n) ?? []
    return lines.filter((line) => line.tag === tag && line.isWhole).length > rows.length
  }
  const nameless = namelessOf(evidence)
  const uncertain: RoundUsage[] = []
  for (const row of books.usage) {
    const tag = tagById.get(row.usage_id) ?? tagByGeneration.get(row.generation_id ?? '')
    if (tag === undefined) uncertain.push(row)
    else add(tag, row)
  }
  const left: RoundUsage[] = []
  for (const row of uncertain) {
    const tag = take(findWhole(nameless, row, isUnexplained))
    if (tag === undefined) left.push(row)
    else add(tag, row)
  }
  // Last, so that no row takes the attempt of one that is known for certain.
  for (const row of left.toSorted((one, other) => Number(other.charge - one.charge))) {
    const tag = row.charge === 0n ? undefined : take(findPart(nameless, row))
    if (tag === undefined) continue
    add(tag, row)
    parts.add(row.usage_id)
  }
  return { rowsByTag: groups, parts }
}
