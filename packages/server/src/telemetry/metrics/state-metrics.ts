import { performance } from 'node:perf_hooks'
import { Gauge, Counter, type Registry } from 'prom-client'

/** Credits on hold in the database, whichever process answers for them. Amounts are floats, for display alone. */
export interface HeldFigures {
  readonly holds: number
  readonly credits: number
  /** 0 when there is none. */
  readonly oldestSeconds: number
}

/** What is looked at at each scrape. */
export interface GatewayState {
  readonly streamsOpen: number
  readonly ledgerQueue: number
  readonly ledgerRetries: number
  /** Holds that this process has open. */
  readonly holds: HeldFigures
  /** Settlements that neither the database nor the disk took. */
  readonly settlementsUnwritten: number
  /** Settlements that wait in files until the database takes them. */
  readonly settlementsPending: number
  /** 0 for none. */
  readonly settlementsPendingSeconds: number
  /** Bytes of the file of this process in which settlements wait. */
  readonly settlementsFileBytes: number
  /** Since the lease of this process was renewed; null before it has one. */
  readonly leaseAgeSeconds: number | null
  readonly ledgerLog: LedgerLogState
  /** Null when the list says nothing of its time. */
  readonly catalogAgeSeconds: number | null
  readonly catalogModels: number
  readonly cardsBelowCost: number
  readonly circuits: readonly CircuitFigure[]
  /** Of upstreams with several keys. */
  readonly keys: readonly KeyFigure[]
}

/** A key of ours with an upstream, by its name. */
export interface KeyFigure {
  readonly upstream: string
  readonly key: string
  readonly isResting: boolean
  /** Part of its rate that is left, from 0 to 1. */
  readonly left: number
}

/** Space of the disk that holds the data folder, in bytes. */
export interface DiskFigures {
  readonly free: number
  readonly size: number
}

/** The ledger log, as this process knows it. */
export interface LedgerLogState {
  readonly size: number
  /** Of the last checkpoint that this process may give out. */
  readonly signedSize: number
  readonly isRefused: boolean
}

/** A circuit that is not closed. */
export interface CircuitFigure {
  readonly upstream: string
  /** As the upstream knows the model, `other` for one that is in no list; empty for our account with the upstream. */
  readonly model: string
  readonly state: 'half_open' | 'open'
}

/** Where the state comes from. */
export interface StateSources {
  readonly version: string
  read(): GatewayState
  /** Null when the database does not answer in time. */
  readHeld(): Promise<HeldFigures | null>
  /** Null when the system does not say. */
  readDisk(): Promise<DiskFigures | null>
}

interface SimpleGauge {
  readonly name: string
  readonly help: string
  /** Null leaves the gauge out. */
  readonly value: (state: GatewayState) => number | null
}

const gauges: readonly SimpleGauge[] = [
  { name: 'svc_streams_open', help: 'Event streams that are open.', value: (state) => state.streamsOpen },
  {
    name: 'svc_ledger_queue_operations',
    help: 'Money operations that wait, those in flight included.',
    value: (state) => state.ledgerQueue,
  },
  { name: 'svc_holds_open', help: 'Holds that this process has open.', value: (state) => state.holds.holds },
  {
    name: 'svc_holds_open_credits',
    help: 'Credits in the holds that this process has open; a float, for display only.',
    value: (state) => state.holds.credits,
  },
  {
    name: 'svc_holds_oldest_age_seconds',
    help: 'Age of the oldest hold that this process has open; 0 for none.',
    value: (state) => state.holds.oldestSeconds,
  },
  {
    name: 'svc_settlements_unwritten',
    help: 'Settlements that could not be written yet, not even into a file, and are tried again.',
    value: (state) => state.settlementsUnwritten,
  },
  {
    name: 'svc_settlements_pending',
    help: 'Settlements that wait in files of the data folder until the database takes them.',
    value: (state) => state.settlementsPending,
  },
  {
    name: 'svc_settlements_pending_oldest_age_seconds',
    help: 'How long the oldest of them waits; 0 for none.',
    value: (state) => state.settlementsPendingSeconds,
  },
  {
    name: 'svc_settlements_file_bytes',
    help: 'Size of the file of this process in which settlements wait; at 64 MiB no request is admitted.',
    value: (state) => state.settlementsFileBytes,
  },
  {
    name: 'svc_lease_age_seconds',
    help: 'Time since the lease of this process was renewed; after three quarters of it open streams are ended.',
    value: (state) => state.leaseAgeSeconds,
  },
  {
    name: 'svc_ledger_log_size',
    help: 'Leaves of the ledger log, as this process has seen it last.',
    value: (state) => state.ledgerLog.size,
  },
  {
    name: 'svc_ledger_log_signed_size',
    help: 'Leaves under the last checkpoint that this process may give out.',
    value: (state) => state.ledgerLog.signedSize,
  },
  {
    name: 'svc_ledger_log_refused',
    help: 'Whether this process puts nothing down and signs nothing, because the log is not the one that was published, or its key does not fit.',
    value: (state) => (state.ledgerLog.isRefused ? 1 : 0),
  },
  {
    name: 'svc_catalog_age_seconds',
    help: 'Time since the list of models was received.',
    value: (state) => state.catalogAgeSeconds,
  },
  { name: 'svc_catalog_models', help: 'Models in the list.', value: (state) => state.catalogModels },
  {
    name: 'svc_catalog_cards_below_cost',
    help: 'Aliases whose card price is below cost and margin: each request is charged by its cost instead.',
    value: (state) => state.cardsBelowCost,
  },
]

function createHeldGauges(registry: Registry): (held: HeldFigures | null) => void {
  const make = (name: string, help: string): Gauge => new Gauge({ name, help, registers: [registry] })
  const up = make('svc_database_up', 'Whether the database answered this scrape within a second.')
  const holds = make('svc_database_holds_open', 'Open holds of all processes on this database.')
  const credits = make(
    'svc_database_holds_open_credits',
    'Credits in the open holds of all processes; a float, for display only.',
  )
  const age = make('svc_database_holds_oldest_age_seconds', 'Age of the oldest open hold of all processes; 0 for none.')
  return (held) => {
    up.set(held === null ? 0 : 1)
    // A value that is not known must not be reported as the one before.
    if (held === null) return [holds, credits, age].forEach((gauge) => gauge.remove())
    holds.set(held.holds)
    credits.set(held.credits)
    age.set(held.oldestSeconds)
  }
}

function createDiskGauges(registry: Registry): (disk: DiskFigures | null) => void {
  const make = (name: string, help: string): Gauge => new Gauge({ name, help, registers: [registry] })
  const free = make('svc_data_folder_free_bytes', 'Free space of the disk that holds the data folder.')
  const size = make('svc_data_folder_size_bytes', 'Size of that disk.')
  return (disk) => {
    if (disk === null) return [free, size].forEach((gauge) => gauge.remove())
    free.set(disk.free)
    size.set(disk.size)
  }
}

const CIRCUIT_VALUES = { half_open: 1, open: 2 } as const

function createCircuitGauge(registry: Registry): (circuits: readonly CircuitFigure[]) => void {
  const gauge = new Gauge({
    name: 'svc_upstream_circuit_state',
    help: 'Circuits that are not closed: 2 is open, 1 half open. No series means that all is well.',
    labelNames: ['upstream', 'model'],
    registers: [registry],
  })
  return (circuits) => {
    gauge.reset()
    for (const { upstream, model, state } of circuits) gauge.set({ upstream, model }, CIRCUIT_VALUES[state])
  }
}

function createKeyGauges(registry: Registry): (keys: readonly KeyFigure[]) => void {
  const make = (name: string, help: string): Gauge =>
    new Gauge({ name, help, labelNames: ['upstream', 'key'], registers: [registry] })
  const resting = make('svc_upstream_key_resting', '1 while a key was refused and others are asked before it.')
  const left = make('svc_upstream_key_left_ratio', 'Part of its rate that a key has left, by its last answers.')
  return (keys) => {
    for (const { upstream, key, ...figures } of keys) {
      resting.set({ upstream, key }, figures.isResting ? 1 : 0)
      left.set({ upstream, key }, figures.left)
    }
  }
}

function registerEventLoop(registry: Registry): void {
  let before = performance.eventLoopUtilization()
  const gauge: Gauge = new Gauge({
    name: 'svc_event_loop_utilization_ratio',
    help: 'Part of the time since the last scrape in which the event loop was busy.',
    registers: [registry],
    collect: () => {
      const now = performance.eventLoopUtilization()
      gauge.set(performance.eventLoopUtilization(now, before).utilization)
      before = now
    },
  })
}

function registerBuild(registry: Registry): (version: string) => void {
  const gauge = new Gauge({
    name: 'svc_build_info',
    help: 'Always 1; the labels say what runs.',
    labelNames: ['version', 'node'],
    registers: [registry],
  })
  return (version) => gauge.set({ version, node: process.versions.node }, 1)
}

/**
 * Registers what is looked at at each scrape.
 * @returns what takes the sources, once they are there, and gives the look to be taken before each scrape.
 */
export function registerState(registry: Registry): (sources: StateSources) => () => Promise<void> {
  const made = gauges.map(({ name, help, value }) => ({
    value,
    gauge: new Gauge({ name, help, registers: [registry] }),
  }))
  const retries = new Counter({
    name: 'svc_ledger_retries_total',
    help: 'Batches that were sent again.',
    registers: [registry],
  })
  const setHeld = createHeldGauges(registry)
  const setDisk = createDiskGauges(registry)
  const setCircuits = createCircuitGauge(registry)
  const setKeys = createKeyGauges(registry)
  registerEventLoop(registry)
  const setVersion = registerBuild(registry)
  const look = (state: GatewayState): void => {
    for (const { gauge, value } of made) {
      const now = value(state)
      if (now === null) gauge.remove()
      else gauge.set(now)
    }
    retries.reset()
    retries.inc(state.ledgerRetries)
    setCircuits(state.circuits)
    setKeys(state.keys)
  }
  return (sources) => {
    setVersion(sources.version)
    return async () => {
      look(sources.read())
      const [held, disk] = await Promise.all([sources.readHeld(), sources.readDisk()])
      setHeld(held)
      setDisk(disk)
    }
  }
}
