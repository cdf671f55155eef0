/** A caller's past: ended requests with all their rows, written by SQL alone. */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import type { BenchContext } from './bench-context.ts'
import type { FundedAccount } from './gateway-process.ts'

/** Each record is a millisecond after the one before; the last one is this long ago. */
const QUIET_MS = 60_000

/** Nanocredits of each record. */
const CHARGE = 300_000
const COST = 250_000

/** The prices of each record: 120 tokens of output at 2,500 nanocredits. */
const PRICING = JSON.stringify({
  ...{ basis: 'card', prompt_tokens: 42, completion_tokens: 120 },
  card: { credits_per_1m_input: '0', credits_per_1m_output: '2.5' },
  ...{ cost_usd: '0.00000025', margin_bps: 2_000 },
})

/**
 * Writes so many usage records, each with its hold and its transfer. The balance does not know of them.
 *
 * Rules that a database checks row by row are switched off meanwhile.
 */
export async function fillHistory(context: BenchContext, funded: FundedAccount, records: number): Promise<void> {
  const firstMs = Date.now() - QUIET_MS - records
  const { url } = funded.rig.place
  if (url === null) return fillSqlite(funded, records, firstMs)
  const postgres = await context.postgres()
  await postgres.run(url, postgresStatements(funded, records, firstMs))
}

function postgresStatements(funded: FundedAccount, records: number, firstMs: number): string[] {
  const source = `select
      substr(time, 1, 8) || '-' || substr(time, 9) || '-7000-8000-' || lpad(to_hex(n), 12, '0') as id,
      ${firstMs} + n as at
    from generate_series(1, ${records}) n, lpad(to_hex(${firstMs} + n), 12, '0') time`
  return [
    'set session_replication_role = replica',
    ...insertStatements(funded, source),
    ...['hold', 'transfer', 'usage_record'].map((table) => `vacuum analyze ${table}`),
    'checkpoint',
  ]
}

function fillSqlite(funded: FundedAccount, records: number, firstMs: number): void {
  const source = `with recursive number(n) as (select 1 union all select n + 1 from number where n < ${records}),
      moment(n, at) as (select n, ${firstMs} + n from number)
    select format('%08x-%04x-7000-8000-%012x', at >> 16, at & 65535, n) as id, at from moment`
  const database = new DatabaseSync(join(funded.rig.place.dataDir, 'svc.db'))
  database.exec('pragma foreign_keys = off; pragma synchronous = off')
  for (const statement of insertStatements(funded, source)) database.exec(statement)
  database.exec('pragma wal_checkpoint(truncate)')
  database.close()
}

/** @param source selects `id` and `at` of each record. */
function insertStatements({ accountId, teamId, keyId }: FundedAccount, source: string): string[] {
  return [
    `insert into hold (hold_id, account_id, key_id, process_id, type, model, stream, amount, state, placed_at, ended_at)
       select id, '${accountId}', '${keyId}', 'bench', 'chat', 'svc-gpt', 0, ${CHARGE}, 'captured', at, at
       from (${source}) past`,
    `insert into transfer
         (transfer_id, account_id, kind, hold_id, funding, charge, write_off, cost, margin, reason, created_at)
       select id, '${accountId}', 'capture', id, 0, ${CHARGE}, 0, ${COST}, ${CHARGE - COST}, null, at
       from (${source}) past`,
    `insert into usage_record (usage_id, account_id, team_id, key_id, created_at, started_at, type, model, upstream,
         upstream_model, status, stream, prompt_tokens, completion_tokens, cached_tokens, reasoning_tokens, charge,
         write_off, cost, basis, estimated, pricing, generation_id, latency_ms)
       select id, '${accountId}', '${teamId}', '${keyId}', at, at, 'chat', 'svc-gpt', 'bench', 'openai/gpt-6-astra',
         'ok', 0, 42, 120, 0, 0, ${CHARGE}, 0, ${COST}, 'card', 0, '${PRICING}', 'gen-1', 1
       from (${source}) past`,
  ]
}
