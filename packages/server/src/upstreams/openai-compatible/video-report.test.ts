import { expect, test } from 'vitest'
import { readJobId, readVideoReport } from './video-report.ts'

// A job whose id is not understood is made, and not paid for.
test.each<[object, string | null]>([
  [{ id: 'job-1' }, 'job-1'],
  [{ request_id: 'r1' }, 'r1'],
  [{ id: 12_345 }, '12345'],
  [{ id: null, job_id: 'j' }, 'j'],
  [{ id: '' }, null],
  [{ id: 1.5 }, null],
  [{ id: { a: 1 } }, null],
  [{ id: 'a b' }, null],
  [{}, null],
])('the id of %j', (answer, id) => {
  expect(readJobId(answer)).toBe(id)
})

test.each<[string, bigint | null]>([
  ['{"status":"completed","usage":{"cost":0.6}}', 600_000_000_000_000_000n],
  ['{"status":"completed","cost":0.6}', 600_000_000_000_000_000n],
  ['{"status":"Succeeded","usage":{"seconds":8},"cost":0.6}', 600_000_000_000_000_000n],
  ['{"status":"completed","usage":{"cost":null}}', null],
  ['{"status":"completed","usage":{"cost":-1},"cost":-1}', null],
])('the cost that %s reports', (text, cost) => {
  expect(readVideoReport(Buffer.from(text), { reportsCost: true })).toMatchObject({ kind: 'completed', cost })
})
