/** What the ledger writes on SQLite and never changes: transfers, usage records, and their daily sums. */
import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import type { CreditRow, DailyRow, HoldEnding, HoldRow } from './sqlite-ledger-rows.ts'

const USAGE_FACTS =
  'upstream, upstream_model, status, error_code, prompt_tokens, completion_tokens, cached_tokens, reasoning_tokens, ' +
  'charge, write_off, cost, basis, estimated, pricing, generation_id, latency_ms'

const USAGE_COLUMNS = `usage_id, account_id, team_id, key_id, created_at, started_at, type, model, stream, ${USAGE_FACTS}`

/** Prepares what writes transfers, usage records and their sums. */
export function createRecordStatements(connection: DatabaseSync) {
  const insertTransfer = connection.prepare(
    `insert into transfer (transfer_id, account_id, kind, hold_id, funding, charge, write_off, cost, margin, reason,
       created_at)
     values (${marks(11)})`,
  )
  const insertUsage = connection.prepare(`insert into usage_record (${USAGE_COLUMNS}) values (${marks(25)})`)
  const keepUsage = connection.prepare(
    `insert into replaced_record (${USAGE_COLUMNS}) select ${USAGE_COLUMNS} from usage_record where usage_id = ?`,
  )
  const updateUsage = connection.prepare(`update usage_record set (${USAGE_FACTS}) = (${marks(16)}) where usage_id = ?`)
  const upsertDaily = connection.prepare(
    `insert into usage_daily (key_id, day, type, model, account_id, requests, charge, prompt_tokens, completion_tokens)
     values (${marks(9)})
     on conflict (key_id, day, type, model) do update set
       requests = requests + excluded.requests, charge = charge + excluded.charge,
       prompt_tokens = prompt_tokens + excluded.prompt_tokens,
       completion_tokens = completion_tokens + excluded.completion_tokens`,
  )
  const insertPending = connection.prepare('insert into ledger_log_pending (entries) values (?)')
  return {
    insertCredit: (row: CreditRow): void =>
      void insertTransfer.run(
        row.transferId,
        row.accountId,
        row.kind,
        null,
        row.amount,
        0,
        0,
        0,
        0,
        row.reason,
        row.createdAt,
      ),
    insertSettlement: (hold: HoldRow, ending: HoldEnding): void => {
      const kind = ending.charge > 0n ? 'capture' : 'write_off'
      const { charge, writeOff, cost, margin } = ending
      insertTransfer.run(
        hold.holdId,
        hold.accountId,
        kind,
        hold.holdId,
        0,
        charge,
        writeOff,
        cost,
        margin,
        null,
        hold.endedAt,
      )
    },
    insertUsage: (hold: HoldRow, teamId: string | null, ending: HoldEnding): void => {
      insertUsage.run(
        hold.holdId,
        hold.accountId,
        teamId,
        hold.keyId,
        ending.createdAt,
        hold.placedAt,
        hold.type,
        hold.model,
        hold.stream ? 1 : 0,
        ...factsOf(ending),
      )
    },
    /** Replaces a record, and keeps what it was: the ledger log has put that down, or still will. */
    updateUsage: (hold: HoldRow, ending: HoldEnding): void => {
      keepUsage.run(hold.holdId)
      updateUsage.run(...factsOf(ending), hold.holdId)
    },
    /** Names entries that the ledger log has not put down yet. @returns the id of the row. */
    insertPending: (entries: string): number => Number(insertPending.run(entries).lastInsertRowid),
    upsertDaily: (row: DailyRow): void =>
      void upsertDaily.run(
        row.keyId,
        row.day,
        row.type,
        row.model,
        row.accountId,
        row.requests,
        row.charge,
        row.promptTokens,
        row.completionTokens,
      ),
  }
}

function factsOf({ facts, charge, writeOff, cost }: HoldEnding): SQLInputValue[] {
  return [
    facts.upstream,
    facts.upstreamModel,
    facts.status,
    facts.errorCode,
    facts.promptTokens,
    facts.completionTokens,
    facts.cachedTokens,
    facts.reasoningTokens,
    charge,
    writeOff,
    cost,
    facts.basis,
    facts.estimated ? 1 : 0,
    facts.pricing,
    facts.generationId,
    facts.latencyMs,
  ]
}

/** Places for so many values in a statement. */
export function marks(count: number): string {
  return Array.from({ length: count }, () => '?').join(', ')
}
