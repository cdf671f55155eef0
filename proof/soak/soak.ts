/**
 * `npm run soak`: a steady load, or many open streams. Exit code 1 when an answer was lost or the audit finds
 * something.
 */
import { readOptions } from '../../packages/server/src/app/read-options.ts'
import { wholeNumber } from '../../packages/server/src/platform/runtime/program-options.ts'
import { storageOptions } from '../rig/options.ts'
import type { Sample } from './measure-process.ts'
import { runLoad } from './run-load.ts'
import { runStreams } from './run-streams.ts'

const MIB = 1_048_576
const FAULTS_SHOWN = 20
/** The memory of fewer streams is lost in what a gateway's heap does by itself. Source: own choice. */
const STREAMS_MEANINGFUL = 1_000

function printRow(cells: readonly string[]): void {
  console.log(cells.map((cell) => cell.padStart(11)).join(''))
}

function printHead(last: string): void {
  printRow(['s', 'rss MiB', 'heap MiB', 'handles', 'loop p50', 'loop p99', 'loop max', last])
}

function printSample(sample: Sample, last: number): void {
  const { atSeconds, rss, heapUsed, isCollected, handles, p50Ms, p99Ms, maxMs } = sample
  const kept = isCollected ? ' kept' : ''
  const memory = [(rss / MIB).toFixed(1), `${(heapUsed / MIB).toFixed(1)}${kept}`]
  const loop = [p50Ms, p99Ms, maxMs].map((ms) => `${ms.toFixed(1)} ms`)
  printRow([atSeconds.toFixed(0), ...memory, String(handles), ...loop, String(last)])
}

function conclude(faults: readonly string[]): void {
  for (const fault of faults.slice(0, FAULTS_SHOWN)) console.log(`FAULT  ${fault}`)
  console.log(faults.length === 0 ? 'Nothing was lost; the audit finds nothing.' : `${faults.length} faults.`)
  process.exitCode = faults.length === 0 ? 0 : 1
}

const options = readOptions({
  name: 'npm run soak --',
  does: 'Puts a steady load on a gateway, or opens many streams, and looks at answers, memory and books.',
  options: {
    minutes: wholeNumber({ help: 'how long the load lasts', otherwise: 2, from: 1 }),
    rate: wholeNumber({ help: 'requests a second; every second one is a stream', otherwise: 100, from: 1 }),
    streams: wholeNumber({ help: 'open so many streams instead of a load', otherwise: 0 }),
    seconds: wholeNumber({ help: 'how long all streams stay open', otherwise: 60, from: 1 }),
    ...storageOptions,
  },
})
const { streams } = options
const stage = { engine: options.database, postgresUrl: options['database-url'] } as const

if (streams > 0) {
  const { seconds } = options
  console.log(`${streams} streams for ${seconds} s on ${stage.engine}`)
  printHead('open')
  const report = await runStreams({ ...stage, streams, seconds, onSample: printSample })
  const [rss, heap] = [report.bytesPerStream, report.keptPerStream].map((bytes) => `${(bytes / 1_024).toFixed(1)} KiB`)
  console.log(`opened in ${(report.openedMs / 1_000).toFixed(1)} s, ended in ${(report.endedMs / 1_000).toFixed(1)} s`)
  console.log(
    `idle ${(report.idle.rss / MIB).toFixed(1)} MiB; resident ${rss} a stream, heap ${heap}` +
      `${streams < STREAMS_MEANINGFUL ? ' (of so few they say little)' : ''}; ${report.whole} came whole`,
  )
  conclude(report.faults)
} else {
  const { rate } = options
  const seconds = options.minutes * 60
  console.log(`${rate} requests a second for ${seconds} s on ${stage.engine}`)
  printHead('answers')
  const report = await runLoad({ ...stage, seconds, rate, onSample: printSample })
  const growth = [report.rssPerMinute, report.keptPerMinute].map((bytes) => (bytes / MIB).toFixed(2))
  console.log(`${report.answers} answers, p50 ${report.p50Ms.toFixed(0)} ms, p99 ${report.p99Ms.toFixed(0)} ms`)
  console.log(`${report.skipped} requests were not sent, since too many waited`)
  console.log(
    `growth a minute: rss ${growth[0]} MiB, heap after collections ${growth[1]} MiB, ` +
      `handles ${report.handlesPerMinute.toFixed(1)}`,
  )
  conclude(report.faults)
}
