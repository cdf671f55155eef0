import type { Database } from '../platform/db/database.ts'
import { text } from '../platform/db/selected-value.ts'
import type { Deposit, DepositState } from './deposit.ts'

/** What an operator decided about a deposit. */
export interface Decision {
  readonly decisionId: string
  readonly depositId: string
  readonly decision: 'release' | 'reject'
  /** In words. */
  readonly reason: string
  /** USD per unit that the operator named; null for most. */
  readonly price: string | null
  readonly decidedBy: string
  readonly decidedAt: number
}

/** What a decision makes of the deposit. */
export interface DecidedDeposit {
  readonly state: 'confirming' | 'rejected'
  readonly releasedAt: number | null
  /** Absent leaves what was found before. */
  readonly worth?: { readonly credits: bigint; readonly price: string }
}

export interface DecisionStore {
  /**
   * Writes a decision and what it makes of the deposit, both or none.
   *
   * @param from states in which the deposit must be, in the block and of the amount in which it was read.
   * @returns false when it is not: another process was faster.
   */
  decide(
    deposit: Pick<Deposit, 'depositId' | 'blockHash' | 'amount'>,
    from: readonly DepositState[],
    decision: Decision,
    decided: DecidedDeposit,
  ): Promise<boolean>
  /** Oldest first, at most 100. */
  list(depositId: string): Promise<readonly Decision[]>
}

const LISTED_MAX = 100

/** Makes the store of operators' decisions. */
export function createDecisionStore(database: Database): DecisionStore {
  const { read } = database
  return {
    async decide({ depositId, blockHash, amount }, from, decision, { state, releasedAt, worth }) {
      const change = read
        .updateTable('deposit')
        .set({
          ...{ state, released_at: releasedAt, note: decision.reason, updated_at: decision.decidedAt },
          reason: state === 'rejected' ? null : 'confirming',
          ...(worth === undefined ? {} : { credits: worth.credits, price: worth.price, price_round: 'operator' }),
        })
        .where('deposit_id', '=', depositId)
        .where('block_hash', '=', blockHash)
        .where('raw_amount', '=', amount.toString())
        .where('state', 'in', from)
        .where('credited_at', 'is', null)
      // A process that is about to match payments with this deposit, by what it was, notices.
      const revise = read
        .updateTable('address_inflow')
        .set({ revision: decision.decisionId })
        .where((where) =>
          where.exists(
            where
              .selectFrom('deposit')
              .select('deposit_id')
              .where('deposit_id', '=', depositId)
              .whereRef('deposit.chain_id', '=', where.ref('address_inflow.chain_id'))
              .whereRef('deposit.address', '=', where.ref('address_inflow.address'))
              .whereRef('deposit.asset', '=', where.ref('address_inflow.asset')),
          ),
        )
      // The deposit's row as the change has left it: where there was none, there is no decision either.
      const note = read
        .insertInto('deposit_decision')
        .columns(['decision_id', 'deposit_id', 'decision', 'reason', 'price', 'decided_by', 'decided_at'])
        .expression(
          read
            .selectFrom('deposit')
            .select([
              text(decision.decisionId).as('decision_id'),
              'deposit_id',
              text(decision.decision).as('decision'),
              text(decision.reason).as('reason'),
              text(decision.price).as('price'),
              text(decision.decidedBy).as('decided_by'),
              'updated_at',
            ])
            .where('deposit_id', '=', depositId)
            .where('state', '=', state)
            .where('note', '=', decision.reason)
            .where('updated_at', '=', decision.decidedAt),
        )
      const [, changed, noted] = await database.write([revise.compile(), change.compile(), note.compile()])
      return changed === 1 && noted === 1
    },
    async list(depositId) {
      const rows = await read
        .selectFrom('deposit_decision')
        .select([
          'decision_id as decisionId',
          'deposit_id as depositId',
          'decision',
          'reason',
          'price',
          'decided_by as decidedBy',
          'decided_at as decidedAt',
        ])
        .where('deposit_id', '=', depositId)
        .orderBy('decision_id')
        .limit(LISTED_MAX)
        .execute()
      return rows
    },
  }
}
