import { logInvariant } from '../src/money/ledger-log/audit-log.ts'
import { renderAudit, runAudit } from '../src/money/ledger/audit.ts'
import { createLedgerEngine } from '../src/money/ledger/create-ledger-engine.ts'
import { Ledger, type LedgerOptions } from '../src/money/ledger/ledger.ts'
import { grant } from './ledger-operations.ts'
import { seedCaller, type SeededCaller, type SeedOptions } from './seed-caller.ts'
import { openTestDatabase, type TestDatabase } from './test-database.ts'
import type { DatabaseEngine } from '../src/platform/db/database.ts'

/** A database of its own with a ledger on it. */
export interface TestLedger {
  readonly test: TestDatabase
  readonly ledger: Ledger
  /** Makes a caller whose balance was granted, so that an audit finds the transfer. */
  createCaller(posted: bigint, options?: SeedOptions): Promise<SeededCaller>
  findBalance(accountId: string): Promise<{ readonly posted: bigint; readonly held: bigint }>
  close(): Promise<void>
}

/** Throws when the audit finds a breach. Every test of money ends with it. */
export async function assertSound(money: TestLedger, now: number): Promise<void> {
  const report = await runAudit(money.test.database, { now: () => now }, [
    logInvariant({ signers: [], checkpoints: [] }),
  ])
  if (report.breaches > 0) throw new Error(renderAudit(report))
}

/** Opens a database and a ledger. */
export async function openTestLedger(
  engine: DatabaseEngine,
  options: Partial<LedgerOptions> = {},
): Promise<TestLedger> {
  const test = await openTestDatabase(engine)
  const ledger = new Ledger({ engine: createLedgerEngine(test.database), ...options })
  return {
    test,
    ledger,
    async createCaller(posted, seed = {}) {
      const caller = await seedCaller(test.database, seed)
      if (posted > 0n) await ledger.submit(grant(caller.accountId, posted))
      return caller
    },
    async findBalance(accountId) {
      const { posted, held } = await test.database.read
        .selectFrom('balance')
        .selectAll()
        .where('account_id', '=', accountId)
        .executeTakeFirstOrThrow()
      return { posted, held }
    },
    async close() {
      await ledger.close()
      await test.close()
    },
  }
}
