import { Histogram, Registry } from 'prom-client'
import { describe, expect, test } from 'vitest'
import { createRandom } from '../../../testing/random.ts'
import { createTallyCounter, createTallyHistogram } from './tally.ts'

const BOUNDS = [0.1, 1, 10]

describe('a counter', () => {
  test('without labels is there from the start', async () => {
    const registry = new Registry()
    createTallyCounter(registry, { name: 'made_total', help: 'Made.', labels: [] })
    expect(await registry.metrics()).toContain('\nmade_total 0\n')
  })

  test('gives one cell for the same labels, and each its line', async () => {
    const registry = new Registry()
    const counter = createTallyCounter(registry, { name: 'made_total', help: 'Made.', labels: ['kind', 'by'] })
    counter.cell('a', 'x').value += 2
    counter.cell('a', 'x').value++
    counter.cell('a"\n', 'y').value++
    const text = await registry.metrics()
    expect(text).toContain('made_total{kind="a",by="x"} 3\n')
    expect(text).toContain('made_total{kind="a\\"\\n",by="y"} 1\n')
    expect(await registry.metrics()).toBe(text)
  })
})

describe('a histogram', () => {
  // The library's own histogram says what the same observations look like.
  test('says what the library would say', async () => {
    const random = createRandom()
    const [ours, theirs] = [new Registry(), new Registry()]
    const histogram = createTallyHistogram(ours, { name: 'took', help: 'Time.', labels: ['kind'] }, BOUNDS)
    const reference = new Histogram({
      ...{ name: 'took', help: 'Time.', labelNames: ['kind'], buckets: BOUNDS },
      registers: [theirs],
    })
    const edges = [0, 0.1, 1, 10, 11]
    const values = [...edges, ...Array.from({ length: 200 }, () => random.below(15_000) / 1_000)]
    for (const [index, value] of values.entries()) {
      const kind = index % 2 === 0 ? 'even' : 'odd'
      histogram.cell(kind).observe(value)
      reference.observe({ kind }, value)
    }
    const lines = async (registry: Registry) => (await registry.metrics()).split('\n').map(withRoundSum).toSorted()
    expect(await lines(ours), `seed ${random.seed}`).toEqual(await lines(theirs))
    expect((await ours.getMetricsAsJSON()).length).toBe(1)
  })
})

/** Sums of floats depend on their order in the last digit. */
function withRoundSum(line: string): string {
  return line.replace(/(?<=^took_sum.* )\S+$/, (sum) => Number(sum).toFixed(6))
}
