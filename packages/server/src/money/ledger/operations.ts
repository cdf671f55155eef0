/**
 * The money operations: everything that can change a balance, a hold or a budget, as plain values.
 *
 * An operation is decided inside the database by its own present state, never by an earlier read, and is idempotent by
 * its natural key (hold id, transfer id): applying it twice answers the same and moves nothing the second time. Engines
 * apply a batch in order, in one database transaction, each operation with its own result.
 */
import type { Nanocredits, UsageStatus } from '@svc/contract'
import type { RecordCredit, CreditResult, CreditDeposit, CreditDepositResult } from './credit-operations.ts'

/** Which spending limit refused. Also says which code a 402 carries. */
export type SpendLimit = 'account' | 'team' | 'key'

/**
 * When a hold must be safe from a loss of power. Against a crash of the process every hold is safe at once.
 *
 * Source: decision 0062 (the writer and its flush).
 */
export type HoldFlush =
  /** Before anything else happens: the caller gets parts of the answer while the hold is open. */
  | 'at_once'
  /** With its end: until that is safe nothing of the answer leaves, and what makes the end safe keeps the hold, too. */
  | 'with_end'

/**
 * How many output units a hold covers where all of them cost more than a quarter of what is available; else it covers
 * all. Source: decision 0007.
 */
export type HoldPolicy =
  /** All units or nothing, whatever their share of the balance: the client named its limit. */
  | 'exact'
  /** The client named no limit and reads a stream: start with `firstUnits`, extend later. */
  | 'stepwise'
  /**
   * The client named no limit and waits for one answer: hold what half of the balance pays for, or the first units if
   * the balance pays for those (less a sixteenth).
   */
  | 'affordable'

export interface PlaceHold {
  readonly kind: 'place'
  /** UUIDv7; also the request id, the usage id and the capture's transfer id. */
  readonly holdId: string
  readonly accountId: string
  readonly keyId: string
  readonly teamBudgetId: string | null
  readonly keyBudgetId: string | null
  /** The gateway process that answers for this hold; see the process lease. */
  readonly processId: string
  /** `chat`, `image`, …: the kind of work, for display and for limits by class. */
  readonly type: string
  /** As the client wrote it. */
  readonly model: string
  /** Whether the client reads a stream; kept so that an orphan's usage record can say so. */
  readonly stream: boolean
  /** Held whatever the output is: the prompt's bound. */
  readonly fixed: Nanocredits
  /** Held per unit of output (times `n` choices). Zero is legal: then the hold is `fixed` alone. */
  readonly perUnit: Nanocredits
  /** Units that the answer can have at most. */
  readonly units: number
  readonly policy: HoldPolicy
  /**
   * Units of the first step of a `stepwise` hold; those that an `affordable` one covers of a small balance, if all but
   * a sixteenth of it pays for them. Ignored for an `exact` one.
   */
  readonly firstUnits: number
  readonly flush: HoldFlush
  /** Milliseconds since the epoch, from the gateway's clock. */
  readonly now: number
}

export type PlaceResult =
  | {
      readonly kind: 'placed'
      readonly amount: Nanocredits
      /** Units that the hold covers now. */
      readonly units: number
      /** Units that the balance can pay at all; null when the request needs no limit of ours. */
      readonly limitUnits: number | null
    }
  | {
      readonly kind: 'insufficient'
      readonly limit: SpendLimit
      /** The whole hold for `exact`; `fixed + perUnit` otherwise. */
      readonly required: Nanocredits
      /** Never negative. */
      readonly available: Nanocredits
      /** Units that `available` would pay beside `fixed`; 0 when not even one. */
      readonly affordableUnits: number
    }
  | { readonly kind: 'refused'; readonly reason: 'key_revoked' | 'key_expired' | 'account_suspended' }

/** Raises an open hold towards `targetUnits`; grants what the limits allow. */
export interface ExtendHold {
  readonly kind: 'extend'
  readonly holdId: string
  readonly fixed: Nanocredits
  readonly perUnit: Nanocredits
  /** Absolute, so that a repeated extension changes nothing. */
  readonly targetUnits: number
  readonly now: number
}

export type ExtendResult =
  | { readonly kind: 'extended'; readonly amount: Nanocredits; readonly units: number }
  | { readonly kind: 'refused'; readonly reason: 'key_revoked' | 'key_expired' | 'account_suspended' | 'hold_ended' }

/** What became of the work, for the usage record. Plain facts; the ledger stores and never interprets them. */
export interface UsageFacts {
  readonly upstream: string | null
  readonly upstreamModel: string | null
  /**
   * `ok` was delivered, `incomplete` broke off after a part that is charged, `error` failed and is free, `cancelled`
   * ended by the caller.
   */
  readonly status: UsageStatus
  readonly errorCode: string | null
  readonly promptTokens: number | null
  readonly completionTokens: number | null
  readonly cachedTokens: number | null
  readonly reasoningTokens: number | null
  /** What decided the charge; null when nothing is charged. */
  readonly basis: 'card' | 'cost' | 'list' | 'estimate' | null
  /** True when quantities were counted here because the upstream reported none. */
  readonly estimated: boolean
  /**
   * JSON text: the unit prices and quantities from which the charge can be recomputed; null when nothing is charged.
   */
  readonly pricing: string | null
  /** The upstream's own id of the generation, to look its cost up by. */
  readonly generationId: string | null
  readonly latencyMs: number | null
}

/** The Idempotency-Key under which a request was asked for, as the row of that name has it. */
export interface RequestName {
  /** The key that sent it, or the person. */
  readonly callerId: string
  readonly nameHash: string
  readonly bodyHash: string
  /** Milliseconds since the epoch. */
  readonly expiresAt: number
}

export type HoldEnd = 'captured' | 'released' | 'expired'

/**
 * What a hold was placed for, as its owner remembers it. With it a settlement is complete by itself: a database that
 * has lost the hold can still charge the request.
 */
export interface PlacedHold extends Pick<PlaceHold, 'accountId' | 'keyId' | 'processId' | 'type' | 'model' | 'stream'> {
  /** Milliseconds since the epoch. Says in which period of its key's and its team's budget the charge counts. */
  readonly placedAt: number
  /** Under which the request was asked for; null or absent without an Idempotency-Key. */
  readonly name?: RequestName | null
}

/**
 * Ends a hold once: moves the charge (if any), frees the rest, writes the usage record and the roll-up, all or nothing.
 *
 * `released` and `expired` go with a charge of 0. A charge above the hold is paid from what is available, the remainder
 * becomes a write-off. A cost with a charge of 0 is written off whole. A hold that had been `expired` may still be
 * captured, once.
 *
 * A hold of which no row is left (a fail-over lost it, or it was deleted) is charged late, by its id: from what
 * the account has available, the remainder becomes a write-off. Nothing is freed for it. Its row is written again as
 * an ended hold of 0, so that the same settlement once more answers `already_settled`. Within a batch such settlements
 * come after all others.
 *
 * One that is charged late or after its hold had expired looks at the Idempotency-Key of its request: where another
 * request was worked on under it meanwhile, it is a write-off whole, since one name is charged once. Where none was,
 * the name stays with this one.
 *
 * Everything in it can be written as JSON, amounts as text, and be settled from there by another process.
 */
export interface SettleHold {
  readonly kind: 'settle'
  readonly holdId: string
  readonly end: HoldEnd
  /** What the published rules say the request costs the caller. */
  readonly charge: Nanocredits
  /** What upstreams charge us, at par; 0 when it is not known. */
  readonly cost: Nanocredits
  /** The part of the cost that brought the caller nothing: it is written off beside whatever is charged. */
  readonly lost: Nanocredits
  /** The most that the caller has agreed to pay: what is due beyond it is written off. Absent: nothing was agreed. */
  readonly most?: Nanocredits
  readonly facts: UsageFacts
  /** What the hold was placed for; null where a hold that is gone is a fault. */
  readonly placed: PlacedHold | null
  readonly now: number
}

export type SettleResult =
  | {
      readonly kind: 'settled'
      readonly charge: Nanocredits
      readonly writeOff: Nanocredits
      /** Whether no row of the hold was left, so that it was charged late. */
      readonly isLate: boolean
    }
  /**
   * Nothing moved: this hold was ended before, and `charge` is what was charged then; or no row of it is left, and
   * there is nothing to charge or to write off.
   */
  | { readonly kind: 'already_settled'; readonly charge: Nanocredits }
  /**
   * No row is left of the hold, nor of its account or its key. Nothing can be written, and asking again changes
   * nothing: the charge is lost.
   */
  | { readonly kind: 'unknown_caller'; readonly charge: Nanocredits }

/** What an open hold would be charged if its process died now. */
export interface HoldProgress {
  readonly holdId: string
  readonly charge: Nanocredits
  readonly cost: Nanocredits
  readonly promptTokens: number
  readonly completionTokens: number
  readonly pricing: string | null
  readonly upstream: string | null
  readonly upstreamModel: string | null
  readonly generationId: string | null
  /** As in `SettleHold`. */
  readonly most?: Nanocredits
  /**
   * `priced`: what is noted is charged, whatever the upstream says of its cost. `failed`: nothing is charged, and what
   * the upstream says that it cost is our loss. Absent: it runs, and a cost that the upstream says takes the place of
   * what is noted.
   */
  readonly verdict?: 'priced' | 'failed'
  /** Its row of the rate card, which may change meanwhile; null where it has none, absent where none was noted. */
  readonly card?: NotedCard | null
}

/** Selling prices per token, margin included. */
interface NotedCard {
  readonly input: Nanocredits
  readonly output: Nanocredits
}

/**
 * Notes the progress of open holds and renews the lease of their process, in one write. Source: decision 0009 (orphaned
 * holds).
 */
export interface JournalHolds {
  readonly kind: 'journal'
  readonly processId: string
  readonly leaseUntil: number
  readonly entries: readonly HoldProgress[]
  readonly now: number
}

export type JournalResult = { readonly kind: 'journaled' }

export type LedgerOperation = PlaceHold | ExtendHold | SettleHold | RecordCredit | CreditDeposit | JournalHolds

/**
 * An operation that no correct caller asks for, such as settling a hold that never was. Others of its batch are not
 * touched.
 */
export interface FaultResult {
  readonly kind: 'fault'
  readonly message: string
}

export type LedgerResult =
  | PlaceResult
  | ExtendResult
  | SettleResult
  | CreditResult
  | CreditDepositResult
  | JournalResult
  | FaultResult

/** The result that belongs to an operation. */
export type ResultOf<Operation extends LedgerOperation> = Operation extends PlaceHold
  ? PlaceResult
  : Operation extends ExtendHold
    ? ExtendResult
    : Operation extends SettleHold
      ? SettleResult
      : Operation extends RecordCredit
        ? CreditResult
        : Operation extends CreditDeposit
          ? CreditDepositResult
          : JournalResult
