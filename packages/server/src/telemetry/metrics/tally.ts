/**
 * Counters and histograms that cost an addition on the way of a request. The library hashes labels at every call; here
 * a caller keeps the cell of its labels, and the library reads all cells at each scrape.
 */
import { Counter, Histogram, type Registry } from 'prom-client'

/** What a metric is called, and what it says. */
export interface MetricName {
  readonly name: string
  readonly help: string
  readonly labels: readonly string[]
}

/** One number that only rises. */
export interface Tally {
  value: number
}

/** A counter: one cell for each combination of label values. */
export interface TallyCounter {
  /**
   * The cell of these label values, in the order of the labels; made at the first call. Keep it where a request passes.
   */
  cell(...values: readonly string[]): Tally
}

/** Label values in a row are one key. No value has this sign: they are routes, ids and codes. */
const SEPARATOR = '\u0000'

type Labels = Readonly<Record<string, string>>

function labelsOf(names: readonly string[], values: readonly string[]): Labels {
  return Object.fromEntries(names.map((name, index) => [name, values[index] ?? '']))
}

/** Registers a counter. */
export function createTallyCounter(registry: Registry, metric: MetricName): TallyCounter {
  const cells = new Map<string, Tally & { readonly labels: Labels }>()
  const cell = (...values: readonly string[]): Tally => {
    const key = values.join(SEPARATOR)
    const known = cells.get(key)
    if (known !== undefined) return known
    const made = { value: 0, labels: labelsOf(metric.labels, values) }
    cells.set(key, made)
    return made
  }
  // What has no labels is there from the start, so that its first rise is seen as one.
  if (metric.labels.length === 0) cell()
  const counter: Counter = new Counter({
    name: metric.name,
    help: metric.help,
    labelNames: metric.labels,
    registers: [registry],
    collect: () => {
      counter.reset()
      for (const { labels, value } of cells.values()) counter.inc(labels, value)
    },
  })
  return { cell }
}

/** Observations of one combination of label values. */
export class Distribution {
  readonly #bounds: readonly number[]
  /** Observations up to each bound and above the one before; the last are those above all. */
  readonly counts: number[]
  sum = 0

  /** @param bounds in rising order. */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds
    this.counts = [...bounds, 0].map(() => 0)
  }

  observe(value: number): void {
    const bounds = this.#bounds
    let index = 0
    while (index < bounds.length && value > (bounds[index] ?? 0)) index++
    this.counts[index] = (this.counts[index] ?? 0) + 1
    this.sum += value
  }
}

/** A histogram: one distribution for each combination of label values. */
export interface TallyHistogram {
  /** The distribution of these label values; made at the first call. */
  cell(...values: readonly string[]): Distribution
}

interface LabelledDistribution {
  readonly labels: Labels
  readonly distribution: Distribution
}

/** Dresses distributions as the library's histogram, which itself takes single observations only. */
class DistributionHistogram extends Histogram {
  readonly #metric: MetricName
  readonly #bounds: readonly number[]
  readonly #cells: () => Iterable<LabelledDistribution>

  constructor(
    registry: Registry,
    metric: MetricName,
    bounds: readonly number[],
    cells: () => Iterable<LabelledDistribution>,
  ) {
    super({
      name: metric.name,
      help: metric.help,
      labelNames: metric.labels,
      buckets: [...bounds],
      registers: [registry],
    })
    this.#metric = metric
    this.#bounds = bounds
    this.#cells = cells
  }

  /** What the library makes its text from, and its `get`, too. */
  getForPromString() {
    const { name, help } = this.#metric
    return {
      name,
      help,
      type: 'histogram',
      aggregator: 'sum',
      values: [...this.#cells()].flatMap((cell) => this.#lines(cell)),
    }
  }

  #lines({ labels, distribution }: LabelledDistribution) {
    const { name } = this.#metric
    const line = (suffix: string, own: Readonly<Record<string, string | number>>, value: number) => ({
      metricName: `${name}${suffix}`,
      labels: own,
      sharedLabels: labels,
      value,
    })
    let count = 0
    const buckets = distribution.counts.map((each, index) => {
      count += each
      return line('_bucket', { le: this.#bounds[index] ?? '+Inf' }, count)
    })
    return [...buckets, line('_sum', {}, distribution.sum), line('_count', {}, count)]
  }
}

/** Registers a histogram. @param bounds upper bounds of its buckets, in rising order. */
export function createTallyHistogram(
  registry: Registry,
  metric: MetricName,
  bounds: readonly number[],
): TallyHistogram {
  const cells = new Map<string, LabelledDistribution>()
  const histogram = new DistributionHistogram(registry, metric, bounds, () => cells.values())
  void histogram
  const cell = (...values: readonly string[]): Distribution => {
    const key = values.join(SEPARATOR)
    const known = cells.get(key)
    if (known !== undefined) return known.distribution
    const made = { labels: labelsOf(metric.labels, values), distribution: new Distribution(bounds) }
    cells.set(key, made)
    return made.distribution
  }
  if (metric.labels.length === 0) cell()
  return { cell }
}
