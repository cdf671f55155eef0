/**
 * `npm run odd-upstreams`: upstreams in random dialects of OpenAI's protocol, asked in every form of a chat. Exit
 * code 1 where an answer cannot be read, a charge is not what was reported or delivered, or a hold is left.
 */
import { readOptions } from '../../packages/server/src/app/read-options.ts'
import { wholeNumber } from '../../packages/server/src/platform/runtime/program-options.ts'
import { seedOption, storageOptions } from '../rig/options.ts'
import { oddFaultsOf, runOddUpstreams } from './run-odd-upstreams.ts'

const FAULTS_SHOWN = 25

const options = readOptions({
  name: 'npm run odd-upstreams --',
  does: 'Asks upstreams in random dialects, and compares what came with what they said.',
  options: {
    upstreams: wholeNumber({ help: 'how many dialects', otherwise: 1_000, from: 1 }),
    first: wholeNumber({ help: 'number of the first dialect: with --upstreams 1 one is asked again', otherwise: 0 }),
    seed: seedOption('decides every dialect'),
    connections: wholeNumber({ help: 'dialects at a time', otherwise: 24, from: 1 }),
    ...storageOptions,
  },
})
const { upstreams, first, seed, connections, database: engine, 'database-url': postgresUrl } = options
console.log(`npm run odd-upstreams -- --upstreams ${upstreams} --first ${first} --seed ${seed} --database ${engine}`)
let shown = 0

/** Shows what is not shown yet, as long as it is not too much. */
function show(faults: readonly string[]): void {
  for (const fault of faults.slice(shown, FAULTS_SHOWN)) console.log(`FAULT  ${fault}`)
  shown = Math.max(shown, Math.min(faults.length, FAULTS_SHOWN))
}

const end = await runOddUpstreams({
  ...{ upstreams, first, seed, connections, engine, postgresUrl },
  onBatch: (done, report) => {
    console.log(`${done} of ${upstreams} upstreams, ${report.asked} requests, ${report.faults.length} faults`)
    show(report.faults.map(({ text }) => text))
  },
})
const faults = oddFaultsOf(end)
show(faults)
const { asked, whole, failed, charged, upstreamAnswers, heldMs, slowestMs, seconds } = end
console.log(
  `${asked} requests in ${Math.round(seconds)} s: ${whole} whole answers, ${failed} errors, ${charged} charged; ` +
    `${upstreamAnswers} requests to the upstreams; the slowest ${(slowestMs / 1_000).toFixed(1)} s; ` +
    `the last hold ended ${Math.round(heldMs)} ms after the last answer`,
)
console.log(faults.length === 0 ? 'Every promise was kept.' : `BROKEN: ${faults.length} faults.`)
process.exit(faults.length === 0 ? 0 : 1)
