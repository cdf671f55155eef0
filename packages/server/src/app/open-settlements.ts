/**
 * Settlements that the database does not take at the moment: those of this process, and those of processes that are
 * gone. Part of the composition.
 */
import { formatCredits, nanocreditsOf, type Nanocredits } from '@svc/contract'
import { LeftJournals } from '../money/billing/left-journals.ts'
import { LostCharges } from '../money/billing/lost-charges.ts'
import { RecentSettlements } from '../money/billing/recent-settlements.ts'
import { dueOf } from '../money/billing/settlement.ts'
import { journalFolder, SettlementJournal } from '../money/billing/settlement-journal.ts'
import type { OpenDatabase } from '../platform/db/open-database.ts'
import type { Ledger } from '../money/ledger/ledger.ts'
import type { SettleHold } from '../money/ledger/operations.ts'
import { createSettledStore } from '../money/ledger/settled-store.ts'
import type { LedgerMetrics } from '../telemetry/metrics/ledger-metrics.ts'
import type { SystemClock } from '../platform/runtime/clock.ts'
import type { Logger } from '../platform/runtime/log.ts'

export interface SettlementParts {
  readonly dataDir: string
  readonly processId: string
  readonly ledger: Pick<Ledger, 'submit'>
  readonly database: OpenDatabase
  readonly clock: SystemClock
  readonly log: Logger
  readonly metrics: LedgerMetrics | null
}

export interface Settlements {
  readonly journal: SettlementJournal
  readonly left: LeftJournals
  /**
   * Recent settlements, and the check that the database still has them. Null on embedded storage: its file is on the
   * disk of this process and has no standby to fall back to. Source: decision 0072.
   */
  readonly recent: RecentSettlements | null
  readonly lost: LostCharges | null
  /**
   * How many wait for the database, in all files that this process answers for, for how long in milliseconds, and the
   * bytes of its own file.
   */
  figures(): { readonly waiting: number; readonly oldestMs: number; readonly fileBytes: number }
  /** A charge in the books differs from the one that its caller read. */
  readonly onDiffering: (told: SettleHold, charge: Nanocredits) => void
}

/** Requests that one line of the log names at most. */
const LOGGED_MAX = 100

/** What a line of the log says of a settlement, and of what its caller was told. */
const toldOf = (told: SettleHold) => ({ request_id: told.holdId, credits_told: formatCredits(dueOf(told)) })

/** Makes them. Nothing is written or read yet. */
export function openSettlements(parts: SettlementParts): Settlements {
  const { dataDir, processId, ledger, database, clock, log, metrics } = parts
  const folder = journalFolder(dataDir)
  const onDiffering = (told: SettleHold, booked: Nanocredits): void => {
    metrics?.differed()
    log.error(
      { ...toldOf(told), credits_charged: formatCredits(booked) },
      'the charge in the books differs from the charge that the client was shown',
    )
  }
  const journal = new SettlementJournal({
    ...{ folder, processId, clock },
    onWaiting: (file) => log.error({ file }, 'the database takes no settlements: they wait in a file'),
    onEmpty: (settlements) => log.info({ settlements }, 'the settlements that waited are written'),
  })
  const recent = database.engine === 'postgres' ? new RecentSettlements({ folder, processId, clock }) : null
  const onMissing = (settlements: readonly SettleHold[]): void => {
    const told = settlements.reduce((sum, settlement) => sum + dueOf(settlement), 0n)
    log.error(
      {
        count: settlements.length,
        request_ids: settlements.slice(0, LOGGED_MAX).map(({ holdId }) => holdId),
        credits_told: formatCredits(nanocreditsOf(told)),
      },
      'the database has lost charges that it had confirmed: they are charged late where that can be',
    )
  }
  const onRefused = (told: SettleHold, error: unknown): void =>
    log.error({ ...toldOf(told), err: error }, 'a charge that the database has lost cannot be written again')
  const store = createSettledStore(database)
  const onLost = (): void => metrics?.lost(1)
  const events = { onMissing, onLost, onDiffering, onRefused }
  const lost = recent === null ? null : new LostCharges({ recent, store, ledger, ...events })
  const left = new LeftJournals({
    ...{ folder, ownPath: journal.path, ledger, clock },
    onFound: (file, { settlements, damagedLines }) => {
      if (settlements > 0) {
        log.warn({ file, settlements }, 'a process that is gone has left settlements: they are written now')
      }
      if (damagedLines === 0) return
      metrics?.journalDamaged()
      log.error({ file, lines: damagedLines }, 'settlements in a file cannot be read: it is kept')
    },
    onSettled: (told, result) => {
      recent?.note(told)
      // Less than was shown, too, where the account could not pay it all: the rest is a write-off.
      if (result.charge !== dueOf(told)) onDiffering(told, nanocreditsOf(result.charge))
    },
    onRefused: (told, error) =>
      log.error(
        { ...toldOf(told), err: error },
        'a settlement that was left behind cannot be written: its file is kept',
      ),
    onDone: (file, keptAs) => log.info({ file, kept_as: keptAs }, 'a file of settlements is done with'),
  })
  return {
    ...{ journal, left, recent, lost, onDiffering },
    figures: () => {
      const [own, others] = [journal.figures(), left.figures()]
      return {
        waiting: own.waiting + others.waiting,
        oldestMs: Math.max(own.oldestMs, others.oldestMs),
        fileBytes: own.fileBytes,
      }
    },
  }
}
