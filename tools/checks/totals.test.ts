import { expect, test } from 'vitest'
import { failureOfSkips, formatTotals, totalsOfReport } from './totals.ts'
import type { TestReport } from './totals.ts'

const green: TestReport = {
  numPassedTests: 5,
  numFailedTests: 0,
  numPendingTests: 1,
  numTodoTests: 1,
  testResults: [{ status: 'passed', assertionResults: [{}] }],
}

test('a test run is counted from its report', () => {
  expect(totalsOfReport(green, 0)).toEqual({ passed: 5, failed: 0, skipped: 2 })
})

test('a file that could not be loaded is a failure', () => {
  const report = { ...green, testResults: [{ status: 'failed', assertionResults: [] }] }
  expect(totalsOfReport(report, 1).failed).toBe(1)
})

test('a run that ended badly is never green', () => {
  expect(totalsOfReport(green, 1).failed).toBe(1)
  expect(totalsOfReport(null, 0).failed).toBe(1)
})

test('where nothing may be skipped, a skipped test is a failed one', () => {
  expect(failureOfSkips({ passed: 5, failed: 1, skipped: 2 })).toEqual({ passed: 5, failed: 3, skipped: 0 })
})

test('the last line names skipped tests only where there are some', () => {
  expect(formatTotals({ passed: 2, failed: 0, skipped: 0 })).toBe('2 passed, 0 failed')
  expect(formatTotals({ passed: 2, failed: 1, skipped: 3 })).toBe('2 passed, 1 failed, 3 skipped')
})
