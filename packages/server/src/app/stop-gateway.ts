/** The orderly end of a gateway: every request is settled before what it needs is closed. */
import { setTimeout as pauseFor } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import type { BatchRunner } from '../batches/batch-runner.ts'
import type { OpenAnswers } from '../edge/open-answers.ts'
import type { OpenHolds } from '../money/billing/open-holds.ts'
import type { Parts } from './open-parts.ts'

/** What a stop has left to others. */
export interface StopReport {
  /** Ids of requests whose settlement could not be written; a process that finds their lease run out settles them. */
  readonly unwritten: readonly string[]
  /** Settlements that wait in a file until a gateway starts on this data folder. */
  readonly pending: number
  readonly journal: string
}

/** How often a stop looks whether requests are still open, in milliseconds. */
const STOP_POLL_MS = 20

/** How long a stop waits for a database to take what is in a file, in milliseconds. Source: own choice. */
const LAST_WRITE_MS = 2_000

/** How long a stop waits for readers to take the last bytes of their answers, in milliseconds. Source: own choice. */
const LAST_BYTES_MS = 5_000

/** Time for the settlements of requests that a stop has ended, in milliseconds: late costs are looked up within it. */
const SETTLE_MS = 10_000

/** Waits for requests that still run. Those whose settlement could not be written end by no waiting of this kind. */
async function waitForHolds(openHolds: OpenHolds, limitMs: number): Promise<void> {
  const until = performance.now() + limitMs
  while (openHolds.running > 0 && performance.now() < until) await pauseFor(STOP_POLL_MS)
}

/** Once more, since the database may be back. For settlements that are already in a file it waits a moment at most. */
async function writeWaiting(openHolds: OpenHolds): Promise<void> {
  const written = openHolds.rewriteUnwritten()
  await (openHolds.stuck().length > 0 ? written : inTime(written, LAST_WRITE_MS))
}

/** Waits for something, and no longer than so many milliseconds. */
function inTime(work: Promise<unknown>, limitMs: number): Promise<unknown> {
  return Promise.race([work, pauseFor(limitMs, undefined, { ref: false })])
}

/** What a gateway has started of its parts. */
interface Started {
  readonly app: FastifyInstance
  readonly answers: OpenAnswers
  readonly batches: BatchRunner
  readonly stopWorkers: () => Promise<void>
}

/**
 * Takes no more requests, lets the running ones finish up to the configured grace, settles every one, and closes all.
 */
export async function stopGateway(parts: Parts, { app, answers, batches, stopWorkers }: Started): Promise<StopReport> {
  const { openHolds, config, settlements } = parts
  // The listener closes now; connections that are busy stay until their answer is out.
  const closed = app.close()
  batches.pause()
  await waitForHolds(openHolds, config.limits.shutdownGraceMs)
  openHolds.stop()
  await waitForHolds(openHolds, SETTLE_MS)
  await writeWaiting(openHolds)
  const unwritten = openHolds.stuck()
  const pending = openHolds.countPending()
  // A request is settled before its last bytes leave.
  await answers.left(LAST_BYTES_MS)
  app.server.closeAllConnections()
  await closed
  // A database that takes no settlements takes nothing else either: what is durable waits for none of its answers.
  const last = (work: Promise<unknown>): Promise<unknown> => (pending > 0 ? inTime(work, LAST_WRITE_MS) : work)
  await last(batches.stop())
  await last(stopWorkers())
  parts.loopDelay.stop()
  await parts.limits.close()
  await parts.audits.close()
  await last(parts.reconciler.close())
  await last(parts.archive?.stop() ?? Promise.resolve())
  await last(parts.keyUses.stop())
  await last(parts.attempts.flush())
  await last(parts.timings.stop())
  await last(parts.ledger.close())
  // What was booked last is put down and signed before others may.
  if (parts.keepsLedgerLog) await last(parts.ledgerLog.close().catch(() => undefined))
  await settlements.left.close()
  await settlements.journal.close()
  await settlements.recent?.flush().catch(() => undefined)
  await Promise.all([...parts.upstreams.values()].map((upstream) => upstream.close()))
  await parts.sandbox?.close()
  await Promise.all([...parts.figures.values()].map((figures) => figures.close()))
  await parts.tokenCounter.close()
  await parts.durationProbe.close()
  await parts.media.files.close()
  await parts.observation.tracing?.close()
  await parts.console.close()
  await last(parts.database.close())
  parts.unlock()
  return { unwritten, pending, journal: settlements.journal.path }
}
