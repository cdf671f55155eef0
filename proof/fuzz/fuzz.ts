/**
 * `npm run fuzz`: random and hostile requests to every endpoint of the OpenAPI document and every row of the console,
 * smuggling cases, and an upstream that answers anything. Exit code 1 on any fault.
 */
import { readOptions } from '../../packages/server/src/app/read-options.ts'
import { wholeNumber } from '../../packages/server/src/platform/runtime/program-options.ts'
import { hasEvm } from '../../packages/server/testing/evm-chain.ts'
import type { StorageOptions } from '../rig/storage.ts'
import { runChainFuzz } from './chain/run-chain-fuzz.ts'
import { seedOption, storageOptions } from '../rig/options.ts'
import type { OperationResult } from './fuzz-operation.ts'
import { runListFuzz } from './lists/run-list-fuzz.ts'
import { partsOption, pathOption } from './parts-option.ts'
import { faultsOf, runFuzz } from './run-fuzz.ts'

const FAULTS_SHOWN = 25
/** Requests to each endpoint of deposits while the nodes are hostile: most of them wait for a node. */
const CHAIN_REQUESTS_MAX = 500
/** Shown as soon as an operation is done; all of them come at the end. */
const FAULTS_SHOWN_AT_ONCE = 3

function printOperation({ id, requests, slowestMs, statuses, upstreamAnswers, faults }: OperationResult): void {
  const counts = [...statuses]
    .toSorted(([left], [right]) => left - right)
    .map(([status, count]) => `${status === 0 ? 'cut' : status}: ${count}`)
  const slowest = `slowest ${(slowestMs / 1_000).toFixed(1)} s`
  const reached = upstreamAnswers === 0 ? '' : `, upstream reached ${upstreamAnswers} times`
  console.log(
    `${id.padEnd(22)} ${requests} requests, ${faults.length} faults, ${slowest}${reached}; ${counts.join(', ')}`,
  )
  for (const fault of faults.slice(0, FAULTS_SHOWN_AT_ONCE)) console.log(`FAULT  ${fault}`)
}

const options = readOptions({
  name: 'npm run fuzz --',
  does: 'Sends random and hostile requests to everything that a gateway answers.',
  options: {
    requests: wholeNumber({ help: 'requests to each operation', otherwise: 2_000, from: 1 }),
    seed: seedOption('decides every request, and the upstream’s answer to it'),
    connections: wholeNumber({ help: 'connections at a time', otherwise: 8, from: 1 }),
    'slow-senders': wholeNumber({ help: 'connections that send headers a byte at a time', otherwise: 2 }),
    'breaker-requests': {
      ...wholeNumber({ help: 'requests to each operation with circuit breakers on', otherwise: null }),
      otherwiseText: 'a tenth of --requests',
    },
    first: wholeNumber({ help: 'number of the first request to each operation', otherwise: 0 }),
    path: pathOption,
    only: partsOption,
    payments: wholeNumber({ help: 'payments on a chain whose nodes are hostile', otherwise: 60 }),
    lists: wholeNumber({ help: 'lists of models of a hostile upstream', otherwise: 200 }),
    ...storageOptions,
  },
})
const { seed, connections, only, database: engine } = options
/** One request is sent again, and nothing beside it. */
const isOnce = options.path !== null
const requests = isOnce ? 1 : options.requests
const slowSenders = isOnce ? 0 : options['slow-senders']
const breakerRequests = isOnce ? 0 : (options['breaker-requests'] ?? Math.ceil(requests / 10))
const repeat =
  `npm run fuzz -- --requests ${requests} --seed ${seed} --connections ${connections} --database ${engine} ` +
  `--slow-senders ${slowSenders} --breaker-requests ${breakerRequests}` +
  (only === null ? '' : ` --only ${only.join(',')}`)
console.log(repeat)
const asksFor = (part: string): boolean => !isOnce && (only === null || only.includes(part))
const storage: StorageOptions = { engine, postgresUrl: options['database-url'] }

/** Deposits with hostile nodes. @returns what went wrong. */
async function fuzzChain(): Promise<readonly string[]> {
  const { payments } = options
  if (!asksFor('chain') || payments === 0) return []
  if (!hasEvm()) {
    console.log('no chain: @foundry-rs/anvil is not installed')
    return []
  }
  const told = await runChainFuzz({ ...storage, seed, payments, requests: Math.min(requests, CHAIN_REQUESTS_MAX) })
  for (const result of told.operations) printOperation(result)
  console.log(`${told.payments} payments and ${told.claims} claims, ${told.spoilt} spoilt answers of nodes`)
  return [
    ...told.operations.flatMap((operation) => operation.faults),
    ...told.faults,
    ...(told.audit.code === 0 ? [] : [told.audit.output]),
  ]
}

/** The catalog with lists of a hostile upstream. @returns what went wrong. */
async function fuzzLists(): Promise<readonly string[]> {
  const { lists } = options
  if (!asksFor('lists') || lists === 0) return []
  const told = await runListFuzz({ seed, lists })
  const slowest = `slowest ${(told.slowestMs / 1_000).toFixed(1)} s`
  console.log(`${told.lists} lists of models, ${told.taken} taken, ${told.faults.length} faults, ${slowest}`)
  return told.faults
}

const report = await runFuzz({
  ...{ ...storage, seed, requests, consoleRequests: requests, path: options.path ?? String(options.first) },
  ...{ connections, slowSenders, only, breakerRequests, onOperation: printOperation },
})
const raw = only === null ? `${report.smugglingCases} smuggling cases` : 'smuggling cases left out, as --only asks'
console.log(`${raw}; ${report.upstreamAnswers} answers of a hostile upstream`)
for (const ms of report.slowMs)
  console.log(`slow headers were ended after ${ms === null ? 'never' : `${ms.toFixed(0)} ms`}`)
const faults = [...faultsOf(report), ...(await fuzzChain()), ...(await fuzzLists())]
for (const fault of faults.slice(0, FAULTS_SHOWN)) console.log(`FAULT  ${fault}`)
console.log(
  faults.length === 0
    ? `No fault in ${report.seconds.toFixed(0)} s; the audit finds nothing.`
    : `${faults.length} faults. All again: ${repeat}\n` +
        `One request again: npm run fuzz -- --seed ${seed} --database ${engine} --only ID --path PATH`,
)
process.exitCode = faults.length === 0 ? 0 : 1
