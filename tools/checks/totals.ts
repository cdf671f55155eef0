/** How many checks and tests came out how. */
export interface Totals {
  readonly passed: number
  readonly failed: number
  readonly skipped: number
}

export const NOTHING: Totals = { passed: 0, failed: 0, skipped: 0 }

/** Adds two counts. */
export function sumOf(left: Totals, right: Totals): Totals {
  return {
    passed: left.passed + right.passed,
    failed: left.failed + right.failed,
    skipped: left.skipped + right.skipped,
  }
}

/** Counts skipped tests as failed, where nothing may be skipped. The same object when there are none. */
export function failureOfSkips(totals: Totals): Totals {
  if (totals.skipped === 0) return totals
  return { passed: totals.passed, failed: totals.failed + totals.skipped, skipped: 0 }
}

/** The last line of a run: `12 passed, 0 failed`, and `, 3 skipped` where some were. */
export function formatTotals({ passed, failed, skipped }: Totals): string {
  return `${passed} passed, ${failed} failed${skipped === 0 ? '' : `, ${skipped} skipped`}`
}

/** What vitest's JSON report says, as far as it counts. */
export interface TestReport {
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly numPendingTests: number
  readonly numTodoTests: number
  readonly testResults: readonly { readonly status: string; readonly assertionResults: readonly unknown[] }[]
}

/**
 * Counts a test run. A file that could not be loaded is one failure, and so is a run that ended badly although every
 * test passed, as after an unhandled rejection.
 *
 * @param report null when the run wrote none
 */
export function totalsOfReport(report: TestReport | null, exitCode: number): Totals {
  if (report === null) return { passed: 0, failed: 1, skipped: 0 }
  const unloaded = report.testResults.filter((file) => file.status === 'failed' && file.assertionResults.length === 0)
  const failed = report.numFailedTests + unloaded.length
  return {
    passed: report.numPassedTests,
    failed: failed === 0 && exitCode !== 0 ? 1 : failed,
    skipped: report.numPendingTests + report.numTodoTests,
  }
}
