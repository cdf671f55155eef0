/**
 * Runs every check and test of the repository, cheapest first, and stops at the first step that fails.
 *
 * `node tools/launch.mjs tools/checks.ts [--without-tests | --slow]`. The last line is `N passed, N failed`, with `, N skipped`
 * where tests were skipped; checks and tests count alike. With `CI=true` a skipped test is a failed one.
 */
import path from 'node:path'
import { readOptions } from '../packages/server/src/app/read-options.ts'
import { flag } from '../packages/server/src/platform/runtime/program-options.ts'
import { runProgram, runTests } from './checks/run-step.ts'
import type { StepResult } from './checks/run-step.ts'
import { failureOfSkips, formatTotals, NOTHING, sumOf } from './checks/totals.ts'

const root = path.dirname(import.meta.dirname)
const bin = (file: string): string => path.join(root, 'node_modules', file)
const types = (folder: string) => (): Promise<StepResult> =>
  runProgram(root, [bin('typescript/bin/tsc'), '-p', path.join(root, folder)])

const steps: readonly { readonly name: string; readonly run: () => Promise<StepResult> }[] = [
  { name: 'format', run: () => runProgram(root, [bin('oxfmt/bin/oxfmt'), '--check', '.']) },
  { name: 'lint', run: () => runProgram(root, [bin('oxlint/bin/oxlint')]) },
  { name: 'types', run: types('.') },
  { name: 'types of console', run: types('packages/console') },
  { name: 'unused code', run: () => runProgram(root, [bin('knip/bin/knip.js'), '--no-config-hints']) },
  { name: 'tidy', run: () => runTests(root, ['--config', 'tools/vitest.config.ts']) },
  { name: 'tests', run: () => runTests(root, ['--exclude', 'tools/**']) },
]

const options = readOptions({
  name: 'npm test --',
  does: 'Runs every check and test, cheapest first, and stops at the first step that fails.',
  options: {
    'without-tests': flag({ help: 'the checks alone, as npm run check does' }),
    slow: flag({ help: 'the tests that are slow by nature alone, as npm run test:slow does' }),
  },
})
const slow = { name: 'slow tests', run: () => runTests(root, ['--config', 'vitest-slow.config.ts']) }
process.exitCode = await runSteps(options.slow ? [slow] : options['without-tests'] ? steps.slice(0, -1) : steps)

async function runSteps(chosen: typeof steps): Promise<number> {
  let totals = NOTHING
  for (const [index, step] of chosen.entries()) {
    console.log(`\n── ${step.name}`)
    const startedAt = performance.now()
    const result = await step.run()
    totals = sumOf(totals, result)
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
    console.log(`── ${step.name}: ${result.failed === 0 ? 'passed' : 'failed'} in ${seconds} s`)
    if (result.failed === 0) continue
    const left = chosen.slice(index + 1).map((each) => each.name)
    if (left.length > 0) console.log(`\nNot run, because ${step.name} failed: ${left.join(', ')}.`)
    break
  }
  const final = process.env['CI'] === 'true' ? failureOfSkips(totals) : totals
  if (final !== totals) console.log(`\nCI=true: ${totals.skipped} skipped tests count as failed.`)
  console.log(`\n${formatTotals(final)}`)
  return final.failed === 0 ? 0 : 1
}
