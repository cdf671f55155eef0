import type { Registry } from 'prom-client'
import { createTallyCounter, createTallyHistogram, type Tally } from './tally.ts'

/** Takes down what the ledger does. Amounts are credits as floats, for display alone. */
export interface LedgerMetrics {
  /** A batch is durable. */
  committed(operations: number, seconds: number): void
  /** A batch was not answered, so its outcome is unknown. */
  failed(): void
  /** One operation of a durable batch. */
  operation(kind: string): void
  /** A hold ended in a durable batch; a hold that had ended before does not count again. */
  holdEnded(end: string, charged: number, writtenOff: number): void
  /** A settlement found no row of its hold. `written_off` is one that the account could not pay whole. */
  chargedLate(outcome: 'charged' | 'written_off' | 'lost'): void
  /** A request cost more than its hold. */
  overrun(): void
  /** A charge in the books differs from the one that its caller read. */
  differed(): void
  /** So many confirmed charges are missing in the database. */
  lost(count: number): void
  /** A file of settlements cannot be read whole. */
  journalDamaged(): void
}

/** Operations in a commit; the last is the most that a batch has. */
const BATCH_BOUNDS = [1, 2, 4, 8, 16, 32, 64, 128, 256] as const
/** Seconds. From a write to memory to a database that hardly answers. Source: own choice. */
const COMMIT_BOUNDS = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10] as const

function keepCells(make: (name: string) => Tally): (name: string) => Tally {
  const cells = new Map<string, Tally>()
  return (name) => {
    const cell = cells.get(name) ?? make(name)
    cells.set(name, cell)
    return cell
  }
}

function registerMoney(registry: Registry) {
  const count = (name: string, help: string): Tally => createTallyCounter(registry, { name, help, labels: [] }).cell()
  return {
    charged: count('svc_credits_charged_total', 'Credits charged, orphans included; a float, for display only.'),
    writeOffs: count('svc_write_offs_total', 'Settlements of which we bear a part of the cost.'),
    writtenOff: count('svc_write_off_credits_total', 'Credits written off: our loss; a float, for display only.'),
    overruns: count('svc_overruns_total', 'Requests that cost more than their hold.'),
    differing: count('svc_settlements_differing_total', 'Charges that are other ones in the books than were told.'),
    lost: count('svc_settlements_lost_total', 'Confirmed charges that the database had lost, by what was taken down.'),
    damaged: count('svc_settlement_journals_damaged_total', 'Files of settlements that could not be read whole.'),
  }
}

/** Registers the metrics of the ledger. */
export function createLedgerMetrics(registry: Registry): LedgerMetrics {
  const count = (name: string, help: string): Tally => createTallyCounter(registry, { name, help, labels: [] }).cell()
  const batches = count('svc_ledger_batches_total', 'Batches that are durable.')
  const failures = count('svc_ledger_commit_failures_total', 'Attempts at a batch that were not answered.')
  const operations = createTallyCounter(registry, {
    name: 'svc_ledger_operations_total',
    help: 'Money operations that are durable, by kind.',
    labels: ['kind'],
  })
  const ends = createTallyCounter(registry, {
    name: 'svc_holds_ended_total',
    help: 'Holds that ended: captured, released (free), expired (left behind).',
    labels: ['end'],
  })
  const late = createTallyCounter(registry, {
    name: 'svc_late_charges_total',
    help: 'Settlements whose hold the database had lost: charged, written_off (in part), lost (with their account or key).',
    labels: ['outcome'],
  })
  const size = createTallyHistogram(
    registry,
    { name: 'svc_ledger_batch_operations', help: 'Operations in a batch.', labels: [] },
    BATCH_BOUNDS,
  ).cell()
  const commit = createTallyHistogram(
    registry,
    { name: 'svc_ledger_commit_duration_seconds', help: 'From a batch to its durable answer.', labels: [] },
    COMMIT_BOUNDS,
  ).cell()
  const money = registerMoney(registry)
  const operationCell = keepCells((kind) => operations.cell(kind))
  const endCell = keepCells((end) => ends.cell(end))
  // There from the start, so that the first is seen as a rise.
  const lateCells = { charged: late.cell('charged'), written_off: late.cell('written_off'), lost: late.cell('lost') }
  return {
    committed: (operationCount, seconds) => {
      batches.value++
      size.observe(operationCount)
      commit.observe(seconds)
    },
    failed: () => void failures.value++,
    operation: (kind) => void operationCell(kind).value++,
    holdEnded: (end, charged, writtenOff) => {
      endCell(end).value++
      money.charged.value += charged
      if (writtenOff <= 0) return
      money.writeOffs.value++
      money.writtenOff.value += writtenOff
    },
    chargedLate: (outcome) => void lateCells[outcome].value++,
    differed: () => void money.differing.value++,
    lost: (lost) => void (money.lost.value += lost),
    journalDamaged: () => void money.damaged.value++,
    overrun: () => void money.overruns.value++,
  }
}
