import type { Database } from '../../platform/db/database.ts'
import type { JournalStore } from './journal.ts'

/** Makes the store of the operators' journal. */
export function createJournalStore(database: Database): JournalStore {
  const { read } = database
  return {
    async begin({ actionId, at, by, action, accountId, subject, reason, details }) {
      const statement = read.insertInto('operator_action').values({
        action_id: actionId,
        acted_at: at,
        operator_id: by.operatorId,
        operator_name: by.name,
        way: by.way,
        action,
        account_id: accountId ?? null,
        subject: subject ?? null,
        reason: reason ?? null,
        details: JSON.stringify(details ?? {}),
        outcome: null,
        ended_at: null,
      })
      await database.write([statement.compile()])
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
