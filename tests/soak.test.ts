/** A short load and some open streams. `npm run soak` runs for minutes, and with thousands. */
import { expect, test } from 'vitest'
import { slopeOf } from '../proof/soak/measure-process.ts'
import { runLoad } from '../proof/soak/run-load.ts'
import { runStreams } from '../proof/soak/run-streams.ts'

const storage = { engine: 'sqlite', postgresUrl: null } as const

test('under a steady load every answer comes, and the audit finds nothing', async () => {
  const report = await runLoad({ ...storage, seconds: 4, rate: 40 })
  expect(report.faults).toEqual([])
  expect(report.answers).toBeGreaterThan(100)
  expect(report.samples.length).toBeGreaterThan(2)
})

test('of many open streams none is cut', async () => {
  const report = await runStreams({ ...storage, streams: 150, seconds: 1 })
  expect(report.faults).toEqual([])
  expect(report.whole).toBe(150)
})

test('a slope is that of the line through the points', () => {
  expect(slopeOf([0, 1, 2, 3].map((x) => [x, 5 + 2 * x]))).toBeCloseTo(2)
  expect(slopeOf([[1, 1]])).toBe(0)
})
