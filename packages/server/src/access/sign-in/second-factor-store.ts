import { type RawBuilder, sql } from 'kysely'
import type { Database } from '../../platform/db/database.ts'

export interface StoredFactor {
  /** Sealed. */
  readonly secret: string
  readonly isConfirmed: boolean
}

export interface SecondFactorStore {
  find(userId: string): Promise<StoredFactor | null>
  countCodes(userId: string): Promise<number>
  /** Whether a session opens something: its person has no factor, or has proven it in this session. */
  isProven(session: { readonly userId: string; readonly sessionId: string }): Promise<boolean>
  /** Writes a factor that does not count yet. Returns false where one counts. */
  begin(userId: string, sealed: string, now: number): Promise<boolean>
  /**
   * Lets the factor count from now on, with these codes, and notes the session. Returns false where it counts already,
   * or its secret is another one by now.
   */
  confirm(confirmed: ConfirmedFactor): Promise<boolean>
  /** Takes a step once, and none before it. */
  takeStep(userId: string, step: number): Promise<boolean>
  /** Takes a recovery code once. */
  takeCode(userId: string, codeHash: string, now: number): Promise<boolean>
  /** Notes that the person has proven the factor in this session. Returns false where the session has ended. */
  prove(sessionId: string, now: number): Promise<boolean>
  /** Puts these codes in the place of all others. Returns false where no factor counts. */
  replaceCodes(userId: string, codeHashes: readonly string[]): Promise<boolean>
  /** Returns false where there was none that counted. */
  remove(userId: string): Promise<boolean>
  /** The id of a person by their address; null for none. */
  findPerson(email: string): Promise<string | null>
}

export interface ConfirmedFactor {
  readonly userId: string
  readonly sessionId: string
  readonly secret: string
  readonly step: number
  readonly codeHashes: readonly string[]
  readonly now: number
}

export function createSecondFactorStore(database: Database): SecondFactorStore {
  const { read } = database
  const noCodes = (userId: string) => read.deleteFrom('recovery_code').where('user_id', '=', userId).compile()
  const codes = (userId: string, hashes: readonly string[], onlyIf: RawBuilder<unknown>) =>
    hashes.map((hash) =>
      sql`
        insert into recovery_code (user_id, code_hash)
        select cast(${userId} as text), cast(${hash} as text) where ${onlyIf}`.compile(read),
    )
  const prove = (sessionId: string, now: number, onlyIf = sql`1 = 1`) =>
    sql`
      insert into proven_session (session_id, proven_at)
      select id, cast(${now} as bigint) from sign_in_session where id = ${sessionId} and ${onlyIf}
      on conflict (session_id) do nothing`.compile(read)
  return {
    async find(userId) {
      const row = await read
        .selectFrom('second_factor')
        .select(['secret', 'confirmed_at'])
        .where('user_id', '=', userId)
        .executeTakeFirst()
      return row === undefined ? null : { secret: row.secret, isConfirmed: row.confirmed_at !== null }
    },
    async countCodes(userId) {
      const row = await read
        .selectFrom('recovery_code')
        .select((select) => select.fn.countAll().as('count'))
        .where('user_id', '=', userId)
        .where('used_at', 'is', null)
        .executeTakeFirst()
      return Number(row?.count ?? 0)
    },
    async isProven({ userId, sessionId }) {
      const { rows } = await sql`
        select 1 from second_factor f
         where f.user_id = ${userId} and f.confirmed_at is not null
           and not exists (select 1 from proven_session p where p.session_id = ${sessionId})`.execute(read)
      return rows.length === 0
    },
    async begin(userId, sealed, now) {
      const statement = sql`
        insert into second_factor (user_id, secret, created_at)
        values (${userId}, ${sealed}, ${now})
        on conflict (user_id) do update set secret = excluded.secret, created_at = excluded.created_at
         where second_factor.confirmed_at is null`.compile(read)
      const [written] = await database.write([statement])
      return written === 1
    },
    async confirm({ userId, sessionId, secret, step, codeHashes, now }) {
      const isCounted = sql`exists (
        select 1 from second_factor where user_id = ${userId} and secret = ${secret} and confirmed_at = ${now})`
      const statement = read
        .updateTable('second_factor')
        .set({ confirmed_at: now, last_step: step })
        .where('user_id', '=', userId)
        .where('secret', '=', secret)
        .where('confirmed_at', 'is', null)
      const [confirmed] = await database.write([
        statement.compile(),
        prove(sessionId, now, isCounted),
        ...codes(userId, codeHashes, isCounted),
      ])
      return confirmed === 1
    },
    async takeStep(userId, step) {
      const statement = read
        .updateTable('second_factor')
        .set({ last_step: step })
        .where('user_id', '=', userId)
        .where('last_step', '<', step)
      return (await database.write([statement.compile()]))[0] === 1
    },
    async takeCode(userId, codeHash, now) {
      const statement = read
        .updateTable('recovery_code')
        .set({ used_at: now })
        .where('user_id', '=', userId)
        .where('code_hash', '=', codeHash)
        .where('used_at', 'is', null)
      return (await database.write([statement.compile()]))[0] === 1
    },
    async prove(sessionId, now) {
      return (await database.write([prove(sessionId, now)]))[0] === 1
    },
    async replaceCodes(userId, codeHashes) {
      const isOn = sql`exists (select 1 from second_factor where user_id = ${userId} and confirmed_at is not null)`
      // The factor's row is written first: of two renewals at once the second waits here, and then ends the codes of
      // the first.
      const factor = read
        .updateTable('second_factor')
        .set((select) => ({ last_step: select.ref('last_step') }))
        .where('user_id', '=', userId)
        .where('confirmed_at', 'is not', null)
      const [found] = await database.write([factor.compile(), noCodes(userId), ...codes(userId, codeHashes, isOn)])
      return found === 1
    },
    async remove(userId) {
      const statement = read.deleteFrom('second_factor').where('user_id', '=', userId).compile()
      const [removed] = await database.write([statement, noCodes(userId)])
      return removed === 1
    },
    async findPerson(email) {
      const row = await read
        .selectFrom('sign_in_user')
        .select('id')
        .where('email', '=', email.toLowerCase())
        .executeTakeFirst()
      return row?.id ?? null
    },
  }
}
