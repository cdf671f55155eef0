/** What a panel of the dashboard shows. */

export interface PanelQuery {
  /** Without matchers of `job` and `instance`: the dashboard's variables are added to every metric. */
  readonly expr: string
  /** With labels in double braces, as Grafana writes them. */
  readonly legend: string
}

/** Units by Grafana's names. */
export type Unit = 'short' | 's' | 'reqps' | 'percentunit' | 'bytes' | 'cps'

export interface Panel {
  readonly title: string
  /** What it shows, and what is unusual in it. */
  readonly description: string
  /** `stat` shows one number, `timeseries` lines. */
  readonly kind: 'stat' | 'timeseries'
  readonly unit: Unit
  readonly queries: readonly PanelQuery[]
  /** Value from which a stat is red; absent: it has one colour. */
  readonly redFrom?: number
}

export interface PanelRow {
  readonly title: string
  readonly panels: readonly Panel[]
}

type Query = readonly [expr: string, legend: string]

/** A panel with lines. */
export function lines(title: string, unit: Unit, description: string, ...queries: readonly Query[]): Panel {
  return { ...{ kind: 'timeseries', title, unit, description }, queries: queriesOf(queries) }
}

/** A panel with one number, which is red from a value on if one is given. */
export function stat(
  title: string,
  unit: Unit,
  description: string,
  ...[expr, redFrom]: readonly [expr: string, redFrom?: number]
): Panel {
  const queries = queriesOf([[expr, title]])
  return { ...{ kind: 'stat', title, unit, description, queries }, ...(redFrom === undefined ? {} : { redFrom }) }
}

function queriesOf(queries: readonly Query[]): readonly PanelQuery[] {
  return queries.map(([expr, legend]) => ({ expr, legend }))
}

/** Quantiles of a histogram, summed over all labels but those that are named. */
export function quantiles(metric: string, by: readonly string[] = []): readonly Query[] {
  const labels = ['le', ...by].join(', ')
  const legend = by.map((label) => ` {{${label}}}`).join('')
  return [0.5, 0.95, 0.99].map((part) => [
    `histogram_quantile(${part}, sum by (${labels}) (rate(${metric}_bucket[$__rate_interval])))`,
    `p${part * 100}${legend}`,
  ])
}
