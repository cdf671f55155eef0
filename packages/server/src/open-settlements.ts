/**
 * Settlements that the database does not take at the moment: those of this process, and those of processes that are
 * gone. Part of the composition.
 */
import { formatCredits, nanocreditsOf, type Nanocredits } from '@svc/contract'
import { LeftJournals } from './billing/left-journals.ts'
import { journalFolder, SettlementJournal } from './billing/settlement-journal.ts'
import type { Ledger } from './ledger/ledger.ts'
import type { SettleHold } from './ledger/operations.ts'
import type { LedgerMetrics } from './metrics/ledger-metrics.ts'
import type { MonotonicClock } from './runtime/clock.ts'
import type { Logger } from './runtime/log.ts'

export interface SettlementParts {
  readonly dataDir: string
  readonly processId: string
  readonly ledger: Pick<Ledger, 'submit'>
  readonly clock: MonotonicClock
  readonly log: Logger
  readonly metrics: LedgerMetrics | null
}

export interface Settlements {
  readonly journal: SettlementJournal
  readonly left: LeftJournals
  /** How many wait for the database, in all files that this process answers for, and for how long in milliseconds. */
  figures(): { readonly waiting: number; readonly oldestMs: number }
  /** A charge that was told is another one in the books. */
  readonly onDiffering: (told: SettleHold, charge: Nanocredits) => void
}

/** Makes both. Nothing is written or read yet. */
export function openSettlements({ dataDir, processId, ledger, clock, log, metrics }: SettlementParts): Settlements {
  const folder = journalFolder(dataDir)
  const onDiffering = ({ holdId, charge }: SettleHold, booked: Nanocredits): void => {
    metrics?.differed()
    log.error(
      { request_id: holdId, credits_told: formatCredits(charge), credits_charged: formatCredits(booked) },
      'a request was charged otherwise than its caller was told: its hold had ended before its settlement could be written',
    )
  }
  const journal = new SettlementJournal({
    ...{ folder, processId, clock },
    onWaiting: (file) => log.error({ file }, 'the database takes no settlements: they wait in a file'),
    onEmpty: (settlements) => log.info({ settlements }, 'the settlements that waited are written'),
  })
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
      // Less than was told, too, where the account could not pay it all: the rest is a write-off.
      if (result.charge !== told.charge) onDiffering(told, nanocreditsOf(result.charge))
    },
    onRefused: ({ holdId, charge }, error) =>
      log.error(
        { request_id: holdId, credits_told: formatCredits(charge), err: error },
        'a settlement that was left behind cannot be written: its file is kept',
      ),
    onDone: (file, keptAs) => log.info({ file, kept_as: keptAs }, 'a file of settlements is done with'),
  })
  return {
    ...{ journal, left, onDiffering },
    figures: () => {
      const [own, others] = [journal.figures(), left.figures()]
      return {
        waiting: own.waiting + others.waiting,
        oldestMs: Math.max(own.oldestMs, others.oldestMs),
      }
    },
  }
}
