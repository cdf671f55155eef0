/** What an expression of Prometheus names, compared with the metrics that there are. */
import type { MetricDefinition } from '../../packages/server/src/telemetry/metrics/gateway-metrics.ts'

/** A metric's name, and its matchers where it has any. */
const SELECTOR = /\b((?:svc|nodejs|process)_\w+)(?:\{([^}]*)\})?/g

/** What Prometheus itself puts on every series. */
const TARGET_LABELS = ['job', 'instance']
const HISTOGRAM_PART = /_(bucket|sum|count)$/

/** The metrics by name. */
export type Definitions = ReadonlyMap<string, MetricDefinition>

export function byName(definitions: readonly MetricDefinition[]): Definitions {
  return new Map(definitions.map((definition) => [definition.name, definition]))
}

/** The names of the metrics that an expression asks for. */
export function metricsOf(expression: string, definitions: Definitions): readonly string[] {
  return [...expression.matchAll(SELECTOR)].map(([, name = '']) => find(name, definitions)?.name ?? name)
}

/** Adds matchers to every metric of an expression. @param matchers such as `job="svc"`. */
export function withMatchers(expression: string, matchers: string): string {
  return expression.replaceAll(SELECTOR, (_, name: string, own?: string) =>
    own === undefined || own === '' ? `${name}{${matchers}}` : `${name}{${matchers},${own}}`,
  )
}

/**
 * Says what is wrong with an expression: a metric that there is not, a label that its metrics have not, a counter that
 * is not looked at as a rate, a gauge that is.
 */
export function problemsOf(expression: string, definitions: Definitions): readonly string[] {
  const selectors = [...expression.matchAll(SELECTOR)]
  const known = new Set(TARGET_LABELS)
  const problems = selectors.flatMap(([text, name = '', matchers = ''], index) => {
    const definition = find(name, definitions)
    if (definition === null) return [`${name} is no metric`]
    const labels = [...TARGET_LABELS, ...definition.labels, ...(name.endsWith('_bucket') ? ['le'] : [])]
    for (const label of labels) known.add(label)
    const wrong = labelsIn(matchers).filter((label) => !labels.includes(label))
    const at = selectors[index]?.index ?? 0
    return [...wrong.map((label) => `${name} has no label ${label}`), ...wrongRate(expression, text, at, definition)]
  })
  const grouped = [...expression.matchAll(/\b(?:by|on|without|group_left|ignoring) ?\(([^)]*)\)/g)]
  const wrong = grouped
    .flatMap(([, list = '']) => list.split(','))
    .map((label) => label.trim())
    .filter((label) => label !== '' && !known.has(label))
  return [...problems, ...wrong.map((label) => `no metric here has the label ${label}`)]
}

function find(name: string, definitions: Definitions): MetricDefinition | null {
  const whole = definitions.get(name)
  if (whole !== undefined) return whole.kind === 'histogram' ? null : whole
  const part = definitions.get(name.replace(HISTOGRAM_PART, ''))
  return part?.kind === 'histogram' ? part : null
}

function labelsIn(matchers: string): readonly string[] {
  return [...matchers.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"/g)].map(([, label = '']) => label)
}

/** A counter says something by its rise alone, and starts anew with each process. */
function wrongRate(expression: string, text: string, at: number, { name, kind }: MetricDefinition): readonly string[] {
  const isRate = /\b(?:rate|increase)\($/.test(expression.slice(0, at))
  const isCounted = kind === 'counter' || kind === 'histogram'
  if (isCounted && !isRate) return [`${text} is counted and needs rate() or increase()`]
  return isRate && !isCounted ? [`${name} is a gauge and has no rate`] : []
}
