/**
 * Measures the gateway against a bare proxy and against its goals: `npm run bench`. The method and the goals are in
 * docs/benchmark.md. A missed goal is a line of the table and no failure; the exit code says whether every row ran.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { type BenchContext, openBenchContext } from './bench-context.ts'
import { measureDiskSync } from './disk-sync.ts'
import { describeMachine, type Machine } from './machine.ts'
import { readOptions } from '../packages/server/src/app/read-options.ts'
import { writeLine } from '../packages/server/src/platform/runtime/write-line.ts'
import { type BenchOptions, benchOptionsOf, benchProgram } from './options.ts'
import { PEERS_BEGIN, PEERS_END, renderPeers, SHORT_BEGIN, SHORT_END } from './peers/peer-table.ts'
import { type PeerResults, runPeers } from './peers/run-peers.ts'
import { type Figures, FIGURES_BEGIN, FIGURES_END, renderMachine, renderTable, replaceFigures } from './report.ts'
import type { Row, RowResult, Verdict } from './row.ts'
import { addedLatency } from './rows/added-latency.ts'
import { billedEmbedded } from './rows/billed-embedded.ts'
import { billedOneConnection } from './rows/billed-one-connection.ts'
import { billedPostgres } from './rows/billed-postgres.ts'
import { imageCpu } from './rows/image-cpu.ts'
import { largeHistory } from './rows/large-history.ts'
import { ledgerLog } from './rows/ledger-log.ts'
import { overload } from './rows/overload.ts'
import { streamMemory } from './rows/stream-memory.ts'
import { streamedChunks } from './rows/streamed-chunks.ts'
import { twoProcesses } from './rows/two-processes.ts'
import { speechCpu } from './rows/speech-cpu.ts'
import { startCost } from './rows/start-cost.ts'
import { transcriptionCpu } from './rows/transcription-cpu.ts'
import { uploadMemory } from './rows/upload-memory.ts'
import { upstreamTls } from './rows/upstream-tls.ts'

const rows: readonly Row[] = [
  ...[billedEmbedded, billedPostgres, billedOneConnection, streamedChunks, streamMemory],
  ...[addedLatency, largeHistory, twoProcesses, upstreamTls],
  ...[speechCpu, transcriptionCpu, uploadMemory, imageCpu, ledgerLog, overload, startCost],
]

function without(row: Row, verdict: Verdict, reason: string): RowResult {
  const nothing = { samples: null, spread: null, count: 0, generatorBusy: null, coreBusy: null, goal: null, unit: '' }
  return { ...nothing, row: row.number, figure: row.title, verdict, notes: [reason] }
}

async function measureRow(context: BenchContext, row: Row): Promise<readonly RowResult[]> {
  context.say(`row ${row.number}: ${row.title}`)
  try {
    return await row.measure(context)
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    context.say(`  ${reason}`)
    return [without(row, 'failed', reason.split('\n').slice(0, 2).join(' '))]
  }
}

async function measureRows(context: BenchContext): Promise<readonly RowResult[]> {
  const { options } = context
  const untilMs = performance.now() + options.minutes * 60_000
  const results: RowResult[] = []
  for (const row of rows.filter(({ number }) => options.rows.includes(number))) {
    const isLate = performance.now() > untilMs
    const late = [without(row, 'not run', `the ${options.minutes} minutes were over`)]
    results.push(...(isLate ? late : await measureRow(context, row)))
    await context.children.clear()
  }
  return results
}

/** What goes between which marks. @param peers null where none were measured. */
function figuresOf(machine: Machine, results: readonly RowResult[], peers: PeerResults | null): readonly Figures[] {
  const at = renderMachine(machine)
  const rowFigures = { begin: FIGURES_BEGIN, end: FIGURES_END, text: `\n${at}\n\n${renderTable(results)}\n` }
  const ofPeers = (form: 'whole' | 'short'): string =>
    peers === null ? '' : `\n${at}\n\n${renderPeers(peers.measured, peers.missing, form)}\n`
  return [
    ...(results.length === 0 ? [] : [rowFigures]),
    ...(peers === null
      ? []
      : [
          { begin: PEERS_BEGIN, end: PEERS_END, text: ofPeers('whole') },
          { begin: SHORT_BEGIN, end: SHORT_END, text: ofPeers('short') },
        ]),
  ]
}

function publish(
  options: BenchOptions,
  machine: Machine,
  { results, peers }: { readonly results: readonly RowResult[]; readonly peers: PeerResults | null },
): void {
  const parts = [
    ...(results.length === 0 ? [] : [renderTable(results)]),
    ...(peers === null ? [] : [renderPeers(peers.measured, peers.missing)]),
  ]
  writeLine(process.stdout, [renderMachine(machine), ...parts].join('\n\n'))
  const { pairs, seconds, scale } = options
  if (options.json !== null) {
    writeFileSync(options.json, `${JSON.stringify({ machine, pairs, seconds, scale, results, peers }, null, 2)}\n`)
  }
  const figures = figuresOf(machine, results, peers)
  for (const file of options.documents) writeFileSync(file, replaceFigures(readFileSync(file, 'utf8'), figures))
}

/** Found out now and not after half an hour: whether each document has a place for what will be measured. */
function checkDocuments({ documents, rows: chosen, peers }: BenchOptions): void {
  const rowMarks = chosen.length === 0 ? [] : [{ begin: FIGURES_BEGIN, end: FIGURES_END, text: '' }]
  const peerMarks = [
    { begin: PEERS_BEGIN, end: PEERS_END, text: '' },
    { begin: SHORT_BEGIN, end: SHORT_END, text: '' },
  ]
  const marks = [...rowMarks, ...(peers === null ? [] : peerMarks)]
  for (const file of documents) replaceFigures(readFileSync(file, 'utf8'), marks)
}

async function run(options: BenchOptions): Promise<void> {
  if (options.profile !== null) mkdirSync(options.profile, { recursive: true })
  checkDocuments(options)
  const context = await openBenchContext(options)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void context.close().finally(() => process.exit(1)))
  }
  try {
    const fdatasyncMs = measureDiskSync(context.children)
    const results = await measureRows(context)
    const peers = options.peers === null ? null : await runPeers(context)
    publish(options, describeMachine(fdatasyncMs, context.postgresVersion()), { results, peers })
    if (results.some(({ verdict }) => verdict === 'failed')) process.exitCode = 1
  } finally {
    await context.close()
  }
}

await run(benchOptionsOf(readOptions(benchProgram)))
