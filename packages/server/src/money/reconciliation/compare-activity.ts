/**
 * Compares the records of a day with an upstream's sums by model, and looks up the generations of what differs: first
 * those at the edges of the day, which it may count on another, then all.
 */
import { nanocreditsOf } from '@svc/contract'
import { costAtPar } from '../../pricing/usd.ts'
import type { BilledGeneration, BilledModel, UpstreamFigures } from '../../upstreams/upstream-figures.ts'
import type { BilledRequest } from '../billing/read-billed-requests.ts'
import { type DaySpan, placeIn } from './day-span.ts'
import { addSides, type Difference, Findings, NO_ROWS, type ReconciliationReport, type Side } from './report.ts'

export interface ActivitySources {
  /** Reads the records from the beginning, each time that it is called. */
  readonly records: () => AsyncIterable<readonly BilledRequest[]>
  readonly figures: Pick<UpstreamFigures, 'readDay' | 'findGeneration'>
}

/** What the books have of one model: certainly of the day, and at its edges. */
interface ModelSums {
  inside: Side
  edge: Side
  unnamed: Side
}

/** The upstream's sum is of floats. Source: 64-bit floats have 15 exact digits; a day's sum loses a few. */
const FLOAT_PARTS = 1_000_000_000n

/** Looks up no more generations than this in a run. Source: own choice, some minutes. */
export const LOOKUPS_MAX = 5_000

type Found = Pick<ReconciliationReport, 'here' | 'there' | 'atEdge' | 'unnamed' | 'kinds' | 'differences' | 'notes'>

/** @param lookups generations that are looked up at most. */
export async function compareActivity(
  span: DaySpan,
  sources: ActivitySources,
  lookups: number = LOOKUPS_MAX,
): Promise<Found> {
  const billed = await sources.figures.readDay(span.day)
  const models = await sumModels(span, sources)
  const there = sumBilled(billed, models)
  const comparison = new Comparison(span, sources.figures, lookups)
  for (const model of new Set([...models.keys(), ...there.keys()])) {
    comparison.begin(model, models.get(model), there.get(model))
  }
  await comparison.lookUp(sources.records, 'edge')
  await comparison.lookUp(sources.records, 'inside')
  return comparison.end()
}

async function sumModels(span: DaySpan, { records }: ActivitySources): Promise<Map<string, ModelSums>> {
  const models = new Map<string, ModelSums>()
  for await (const step of records()) {
    for (const request of step) {
      const place = placeIn(span, request.startedAt, request.endedAt)
      if (place === 'outside' || request.cost === 0n) continue
      const model = request.model ?? ''
      const sums = models.get(model) ?? { inside: NO_ROWS, edge: NO_ROWS, unnamed: NO_ROWS }
      const side = sideOf(request)
      sums[place] = addSides(sums[place], side)
      if (request.generationIds.length === 0) sums.unnamed = addSides(sums.unnamed, side)
      models.set(model, sums)
    }
  }
  return models
}

const sideOf = ({ cost, generationIds }: BilledRequest): Side => ({
  rows: Math.max(1, generationIds.length),
  cost: nanocreditsOf(cost),
})

/** Under the name by which the books know the model; what costs nothing is left out, as it is of the books. */
function sumBilled(billed: readonly BilledModel[], models: ReadonlyMap<string, unknown>): ReadonlyMap<string, Side> {
  const sums = new Map<string, Side>()
  for (const { names, requests, cost } of billed) {
    if (cost === 0n) continue
    const name = names.find((each) => models.has(each)) ?? names[0] ?? ''
    sums.set(name, addSides(sums.get(name) ?? NO_ROWS, { rows: requests, cost: costAtPar(cost) }))
  }
  return sums
}

/** One model while it is compared. */
interface Open {
  readonly there: Side
  /** What the books have of the day, as far as it is known to be of it. */
  here: Side
  /** Not looked up yet, at an edge. */
  edge: Side
  readonly unnamed: Side
  /** By generation: the request that has named it first. */
  readonly seen: Map<string, string>
}

class Comparison {
  readonly #span: DaySpan
  readonly #figures: ActivitySources['figures']
  #left: number
  readonly #models = new Map<string, Open>()
  readonly #findings = new Findings()
  /** What was named of each model. */
  readonly #told = new Map<string, Pick<Difference, 'here' | 'there'>>()
  #isCut = false

  constructor(span: DaySpan, figures: ActivitySources['figures'], lookups: number) {
    this.#span = span
    this.#figures = figures
    this.#left = lookups
  }

  begin(model: string, here: ModelSums | undefined, there: Side = NO_ROWS): void {
    const { inside = NO_ROWS, edge = NO_ROWS, unnamed = NO_ROWS } = here ?? {}
    this.#models.set(model, { there, here: inside, edge, unnamed, seen: new Map() })
  }

  /** Looks up what lies at one place of the day, of the models that do not agree. */
  async lookUp(records: ActivitySources['records'], place: 'edge' | 'inside'): Promise<void> {
    const isOpen = ({ here, edge, there }: Open): boolean =>
      place === 'edge' ? edge.rows > 0 : !isSame(here, there) && !isOfEdge(less(there, here), edge)
    const open = new Set([...this.#models].flatMap(([model, each]) => (isOpen(each) ? [model] : [])))
    if (open.size === 0) return
    for await (const step of records()) {
      for (const request of step) {
        const model = request.model ?? ''
        const found = this.#models.get(model)
        if (found === undefined || !open.has(model) || request.cost === 0n) continue
        if (placeIn(this.#span, request.startedAt, request.endedAt) === place) await this.#look(model, found, request)
      }
    }
  }

  async #look(model: string, open: Open, request: BilledRequest): Promise<void> {
    const { generationIds, startedAt, endedAt } = request
    const isEdge = placeIn(this.#span, startedAt, endedAt) === 'edge'
    const side = sideOf(request)
    const doubled = generationIds.find((id) => open.seen.has(id))
    if (doubled !== undefined) {
      if (isEdge) moveFromEdge(open, side)
      const requestIds = [open.seen.get(doubled) ?? '', request.requestId]
      const there = { rows: 0, cost: nanocreditsOf(0n) }
      return this.#tell({ kind: 'doubled_here', generationId: doubled, requestIds, model, here: side, there })
    }
    if (this.#left < generationIds.length) {
      this.#isCut = true
      return
    }
    for (const id of generationIds) open.seen.set(id, request.requestId)
    this.#left -= generationIds.length
    const answers = await this.#find(generationIds)
    if (isEdge && generationIds.length > 0) {
      const known = answers.filter((answer) => answer !== null)
      const isOfOther = known.length > 0 && !known.some((answer) => this.#isInDay(answer))
      if (isOfOther) return void (open.edge = less(open.edge, side))
      moveFromEdge(open, side)
    }
    this.#compare(model, request, answers)
  }

  #compare(model: string, request: BilledRequest, answers: readonly (BilledGeneration | null)[]): void {
    const [generationId] = request.generationIds
    if (generationId === undefined) return
    const here = sideOf(request)
    const known = answers.filter((answer) => answer !== null)
    const cost = known.reduce((sum, answer) => sum + costAtPar(answer.cost), 0n)
    const there: Side = { rows: known.length, cost: nanocreditsOf(cost) }
    const difference = { generationId, requestIds: [request.requestId], model, here, there }
    if (known.length === 0) this.#tell({ kind: 'missing_there', ...difference })
    else if (!isWithin(here.cost - cost, BigInt(request.roundings))) this.#tell({ kind: 'cost_differs', ...difference })
  }

  #isInDay({ at }: BilledGeneration): boolean {
    return at === null || (at >= this.#span.start && at < this.#span.end)
  }

  /** One after the other: the upstream limits how often it is asked. */
  async #find(ids: readonly string[]): Promise<readonly (BilledGeneration | null)[]> {
    const answers: (BilledGeneration | null)[] = []
    for (const id of ids) answers.push(await this.#figures.findGeneration(id))
    return answers
  }

  #tell(difference: Difference): void {
    const model = difference.model ?? ''
    const { here, there } = this.#told.get(model) ?? { here: NO_ROWS, there: NO_ROWS }
    this.#told.set(model, { here: addSides(here, difference.here), there: addSides(there, difference.there) })
    this.#findings.add(difference)
  }

  end(): Found {
    let sums = { here: NO_ROWS, there: NO_ROWS, atEdge: NO_ROWS, unnamed: NO_ROWS }
    for (const [model, open] of this.#models) {
      this.#nameTheRest(model, open)
      sums = {
        here: addSides(sums.here, open.here),
        there: addSides(sums.there, open.there),
        atEdge: addSides(sums.atEdge, open.edge),
        unnamed: addSides(sums.unnamed, open.unnamed),
      }
    }
    const notes = this.#isCut
      ? ['Not every generation of the models that differ was looked up: there are too many.']
      : []
    return { ...sums, ...this.#findings.end(), notes }
  }

  /** What the sums differ by, beyond what was named. */
  #nameTheRest(model: string, open: Open): void {
    const told = this.#told.get(model) ?? { here: NO_ROWS, there: NO_ROWS }
    const here = addSides(less(open.here, told.here), told.there)
    const { there } = open
    if (isSame(here, there)) return
    const rest = less(there, here)
    if (isOfEdge(rest, open.edge)) return
    const difference = { generationId: null, requestIds: [], model }
    if (rest.cost >= 0n) {
      const missing = { rows: Math.max(0, rest.rows), cost: rest.cost }
      return this.#findings.add({ ...difference, kind: 'missing_here', here: NO_ROWS, there: missing })
    }
    const unknown = { rows: Math.max(0, -rest.rows), cost: nanocreditsOf(-rest.cost) }
    this.#findings.add({ ...difference, kind: 'missing_there', here: unknown, there: NO_ROWS })
  }
}

/** Whether what is missing may be what is at the edges of the day and could not be looked up. */
const isOfEdge = (rest: Side, edge: Side): boolean => rest.cost > 0n && rest.cost <= edge.cost

/** It is known to be of the day. */
function moveFromEdge(open: Open, side: Side): void {
  open.edge = less(open.edge, side)
  open.here = addSides(open.here, side)
}

const less = (one: Side, other: Side): Side => ({
  rows: one.rows - other.rows,
  cost: nanocreditsOf(one.cost - other.cost),
})

function isWithin(difference: bigint, slack: bigint): boolean {
  return (difference < 0n ? -difference : difference) <= slack
}

/** As far as a sum of floats can tell; each of our amounts was rounded up by itself. */
function isSame(here: Side, there: Side): boolean {
  const slack = BigInt(Math.max(here.rows, there.rows)) + there.cost / FLOAT_PARTS
  return isWithin(here.cost - there.cost, slack)
}
