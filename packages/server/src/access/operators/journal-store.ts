import { type CompiledQuery, sql } from 'kysely'
import type { Database } from '../../platform/db/database.ts'
import { text, whole } from '../../platform/db/selected-value.ts'
import { actingOperator, type JournalStore, type NewEntry } from './journal.ts'
import { isStillOperator } from './operator-store.ts'

/** Makes the store of the operators' journal. */
export function createJournalStore(database: Database): JournalStore {
  const { read } = database
  return {
    async begin(entry) {
      const [begun] = await database.write([beginStatement(database, entry)])
      return begun === 1
    },
    async end(actionId, outcome, at) {
      const statement = read
        .updateTable('operator_action')
        .set({ outcome, ended_at: at })
        .where('action_id', '=', actionId)
        .where('outcome', 'is', null)
      await database.write([statement.compile()])
    },
    list({ action, accountId, after, limit }) {
      let query = read
        .selectFrom('operator_action')
        .select([
          'action_id as actionId',
          'acted_at as at',
          'operator_id as operatorId',
          'operator_name as operatorName',
          'way',
          'action',
          'account_id as accountId',
          'subject',
          'reason',
          'details',
          'outcome',
        ])
        .orderBy('action_id', 'desc')
        .limit(limit)
      if (action !== undefined) query = query.where('action', '=', action)
      if (accountId !== undefined) query = query.where('account_id', '=', accountId)
      if (after !== undefined) query = query.where('action_id', '<', after)
      return query.execute()
    },
  }
}

function beginStatement({ read }: Database, entry: NewEntry): CompiledQuery {
  const { actionId, at, by, action, accountId, subject, reason, details } = entry
  const columns = {
    action_id: text(actionId),
    acted_at: whole(at),
    operator_id: text(by.operatorId),
    operator_name: text(by.name),
    way: text(by.way),
    action: text(action),
    account_id: text(accountId ?? null),
    subject: text(subject ?? null),
    reason: text(reason ?? null),
    details: text(JSON.stringify(details ?? {})),
  }
  const names = Object.keys(columns).map((name) => sql.ref(name))
  return sql`
    insert into operator_action (${sql.join(names)}) select ${sql.join(Object.values(columns))}
     where ${isStillOperator(actingOperator(by))}`.compile(read)
}
