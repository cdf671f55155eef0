/**
 * `npm run fuzz -- --requests N --seed S --connections C --slow-senders N`
 *
 * Random and hostile requests to every endpoint of the OpenAPI document, smuggling cases, and an upstream that
 * answers anything. Exit code 1 on any fault.
 */
import { freshSeed, readOptions } from '../rig/options.ts'
import { faultsOf, type OperationResult, runFuzz } from './run-fuzz.ts'

const FAULTS_SHOWN = 25

function printOperation({ id, requests, slowestMs, statuses, faults }: OperationResult): void {
  const counts = [...statuses]
    .toSorted(([left], [right]) => left - right)
    .map(([status, count]) => `${status}: ${count}`)
  const slowest = `slowest ${(slowestMs / 1_000).toFixed(1)} s`
  console.log(`${id.padEnd(22)}${requests} requests, ${faults.length} faults, ${slowest}; ${counts.join(', ')}`)
}

const options = readOptions({ requests: '2000', seed: freshSeed(), connections: '8', 'slow-senders': '2' })
const [requests, seed] = [options.number('requests', 1), options.number('seed')]
const connections = options.number('connections', 1)
const repeat = `npm run fuzz -- --requests ${requests} --seed ${seed} --connections ${connections}`
console.log(repeat)
const slowSenders = options.number('slow-senders')
const report = await runFuzz({ seed, requests, connections, slowSenders, onOperation: printOperation })
console.log(`${report.smugglingCases} smuggling cases; ${report.upstreamAnswers} answers of a hostile upstream`)
for (const ms of report.slowMs)
  console.log(`slow headers were ended after ${ms === null ? 'never' : `${ms.toFixed(0)} ms`}`)
const faults = faultsOf(report)
for (const fault of faults.slice(0, FAULTS_SHOWN)) console.log(`FAULT  ${fault}`)
console.log(
  faults.length === 0
    ? `No fault in ${report.seconds.toFixed(0)} s; the audit finds nothing.`
    : `${faults.length} faults. Repeat with: ${repeat}`,
)
process.exitCode = faults.length === 0 ? 0 : 1
