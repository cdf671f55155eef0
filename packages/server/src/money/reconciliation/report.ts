/**
 * Room `money/reconciliation`: compares what upstreams say that they have billed with what the books say that they cost.
 * It moves no money and changes no record. Source: decision 0157.
 *
 * This file: what a reconciliation finds.
 */
import type { Nanocredits } from '@svc/contract'

/**
 * How books and invoice can differ. `missing_here`: the upstream has billed what no record names. `missing_there`: a
 * record has a cost, and the upstream does not know its generation. `doubled_here`: several records name one
 * generation. `doubled_there`: the invoice has it several times. `cost_differs`: both have it, at another cost.
 */
export const differenceKinds = [
  'missing_here',
  'missing_there',
  'doubled_here',
  'doubled_there',
  'cost_differs',
] as const
export type DifferenceKind = (typeof differenceKinds)[number]

/** Rows, and what they cost at par. */
export interface Side {
  readonly rows: number
  readonly cost: Nanocredits
}

/** One that was found. */
export interface Difference {
  readonly kind: DifferenceKind
  /** The upstream's own id; null where only sums are known. */
  readonly generationId: string | null
  /** Records that name it, at most a few. */
  readonly requestIds: readonly string[]
  /** As the upstream calls it; null where it is not known. */
  readonly model: string | null
  readonly here: Side
  readonly there: Side
}

/** All differences of one kind. */
export interface KindSum {
  readonly kind: DifferenceKind
  /** How many there are, also beyond those that are listed. */
  readonly count: number
  readonly here: Side
  readonly there: Side
}

export interface ReconciliationReport {
  readonly upstream: string
  /** UTC, such as `2026-03-31`. */
  readonly day: string
  readonly source: 'file' | 'activity'
  /** Records of the day, and what the upstream has billed for it. */
  readonly here: Side
  readonly there: Side
  /** Records at an edge of the day that were not found: the upstream may count them on the day beside it. */
  readonly atEdge: Side
  /** Records with a cost and without an id of the upstream's: a list by ids cannot hold them. */
  readonly unnamed: Side
  readonly kinds: readonly KindSum[]
  /** The first of them, by kind. */
  readonly differences: readonly Difference[]
  /** What limits what was looked at, in sentences. */
  readonly notes: readonly string[]
}

export const NO_ROWS: Side = { rows: 0, cost: 0n as Nanocredits }

export function addSides(one: Side, other: Side): Side {
  return { rows: one.rows + other.rows, cost: (one.cost + other.cost) as Nanocredits }
}

export function countDifferences({ kinds }: Pick<ReconciliationReport, 'kinds'>): number {
  return kinds.reduce((sum, { count }) => sum + count, 0)
}

/** Differences of one kind that are listed at most: a report is kept as one text. Source: own choice. */
const LISTED_MAX = 200

/** Takes differences as they are found. */
export class Findings {
  readonly #sums = new Map<DifferenceKind, KindSum>()
  readonly #listed: Difference[] = []

  add(difference: Difference): void {
    const { kind, here, there } = difference
    const before = this.#sums.get(kind) ?? { kind, count: 0, here: NO_ROWS, there: NO_ROWS }
    if (before.count < LISTED_MAX) this.#listed.push(difference)
    this.#sums.set(kind, {
      ...{ kind, count: before.count + 1 },
      here: addSides(before.here, here),
      there: addSides(before.there, there),
    })
  }

  end(): Pick<ReconciliationReport, 'kinds' | 'differences'> {
    const kinds = differenceKinds.flatMap((kind) => this.#sums.get(kind) ?? [])
    const differences = differenceKinds.flatMap((kind) => this.#listed.filter((each) => each.kind === kind))
    return { kinds, differences }
  }
}
