import { type HealthReply } from '@svc/contract'
import type { Catalog } from '../catalog/catalog.ts'
import type { Ledger, LedgerCounters } from '../money/ledger/ledger.ts'
import type { LedgerLogFigures } from '../money/ledger-log/ledger-log.ts'
import type { Clock } from '../platform/runtime/clock.ts'
import { VERSION } from '../platform/runtime/version.ts'
import type { UpstreamHealth } from '../upstreams/health-watch.ts'
import type { HealthGroup } from '../upstreams/upstream.ts'
import type { WatchedUpstream } from '../upstreams/watch-health.ts'

export type Health = HealthReply

/** The best of all: one upstream that works keeps the gateway useful. */
function overall(states: readonly UpstreamHealth[]): UpstreamHealth {
  if (states.every((state) => state === 'down')) return 'down'
  return states.every((state) => state === 'ok') ? 'ok' : 'degraded'
}

/**
 * So many commits in a row that could not be made, and the gateway counts as down: nothing can be charged. The journal
 * makes one every few seconds, so an idle gateway finds out, too. Source: own choice.
 */
const LEDGER_FAILURES_UNTIL_DOWN = 3

/** A commit that takes so long is in trouble: a lock, a disk, a network. In milliseconds. Source: own choice. */
const COMMIT_LATE_MS = 5_000

/** @param unwritten settlements that could not be written and wait: the books lack what was delivered. */
function databaseState(
  answers: boolean,
  { failuresInARow, commitMs }: LedgerCounters,
  unwritten: number,
): UpstreamHealth {
  if (!answers || failuresInARow >= LEDGER_FAILURES_UNTIL_DOWN) return 'down'
  return failuresInARow > 0 || commitMs > COMMIT_LATE_MS || unwritten > 0 ? 'degraded' : 'ok'
}

function worst(states: readonly UpstreamHealth[]): UpstreamHealth {
  if (states.includes('down')) return 'down'
  return states.includes('degraded') ? 'degraded' : 'ok'
}

export interface HealthSources {
  readonly upstreams: ReadonlyMap<string, WatchedUpstream>
  readonly catalog: Catalog
  readonly ledger: Pick<Ledger, 'counters'>
  /** Null when the database does not answer in time. */
  readonly pingDatabase: () => Promise<true | null>
  readonly clock: Clock
  /** How many settlements could not be written when they were due. */
  readonly countUnwritten: () => number
  readonly ledgerLog: { readonly figures: Pick<LedgerLogFigures, 'refusal'> }
  /** Null where deposits are off. */
  readonly deposits: { problems(): readonly string[] } | null
}

/** Deposits that have to wait degrade the gateway: nothing else depends on a chain. */
function depositsState({ deposits }: Pick<HealthSources, 'deposits'>): 'ok' | 'degraded' | 'off' {
  if (deposits === null) return 'off'
  return deposits.problems().length === 0 ? 'ok' : 'degraded'
}

/** @returns `off` where no upstream serves it. */
function routingOf(upstreams: HealthSources['upstreams'], group: HealthGroup): UpstreamHealth | 'off' {
  const states = [...upstreams.values()].map((upstream) => upstream.health(group)).filter((state) => state !== 'off')
  return states.length === 0 ? 'off' : overall(states)
}

/**
 * Says whether the gateway, its database and its upstreams work. Text decides; other modalities are reported beside it.
 */
export async function readHealth(sources: HealthSources): Promise<Health> {
  const { upstreams, catalog, ledger, clock } = sources
  const database = databaseState((await sources.pingDatabase()) !== null, ledger.counters, sources.countUnwritten())
  const deposits = depositsState(sources)
  const { refusal } = sources.ledgerLog.figures
  // A process with a key of its own leaves the log to those whose key it is.
  const ledgerLog = refusal === null || refusal === 'unknown_key' ? 'ok' : 'degraded'
  const circuits = [...upstreams.values()].flatMap((upstream) => upstream.circuits.states())
  const answering = routingOf(upstreams, 'text')
  const text = answering === 'ok' && circuits.length > 0 ? 'degraded' : answering
  return {
    status: worst([text === 'off' ? 'down' : text, database, deposits === 'off' ? 'ok' : deposits, ledgerLog]),
    version: VERSION,
    time: new Date(clock.now()).toISOString(),
    routing: {
      text,
      image: routingOf(upstreams, 'image'),
      video: routingOf(upstreams, 'video'),
      audio: routingOf(upstreams, 'audio'),
    },
    database,
    deposits,
    ledger_log: ledgerLog,
    circuits: {
      open: circuits.filter(({ state }) => state === 'open').length,
      half_open: circuits.filter(({ state }) => state === 'half_open').length,
    },
    catalog: {
      featured: catalog.counts.featured,
      models: catalog.counts.models,
      updated_at: catalog.updatedAt === 0 ? null : new Date(catalog.updatedAt).toISOString(),
    },
  }
}
