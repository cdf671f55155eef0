/** What operator commands do to keys. Part of the composition. */
import { createAccountLimitStore } from '../access/keys/account-limit-store.ts'
import { changeKey } from '../access/keys/change-key.ts'
import { createKey } from '../access/keys/create-key.ts'
import { createKeyStore } from '../access/keys/key-store.ts'
import { listKeys } from '../access/keys/list-keys.ts'
import { revokeKey } from '../access/keys/revoke-key.ts'
import { rotateKey } from '../access/keys/rotate-key.ts'
import type { JournaledAction, Note } from '../access/operators/journal.ts'
import { ConfigError } from '../config/config-error.ts'
import type { OperatorConfig } from '../config/load-operator-config.ts'
import type { AdminContext } from '../operations/commands/admin-context.ts'
import type { Database } from '../platform/db/database.ts'
import type { Clock } from '../platform/runtime/clock.ts'
import { createId } from '../platform/runtime/ids.ts'

const raiseTheAccount = (accountId: string): string =>
  `To allow more, first raise its account: "account limits ${accountId} --requests-per-minute COUNT".`

const HOUR_MS = 3_600_000

/** What the journal says of a key without a limit of its own. */
const TEAM_LIMIT = 'as the team'

/** Where only its own machine reaches a gateway, it keeps the secrets that it was not given. */
export const keptElsewhere = 'its data folder in SVC_DATA_DIR if it has made its own.'

/** The secrets that keys are made with, and the limits that theirs stay within. */
type KeyConfig = Pick<OperatorConfig, 'peppers' | 'limits'>

export function keyCommands(
  database: Database,
  config: KeyConfig,
  clock: Clock,
  note: Note,
): Pick<AdminContext, 'createKey' | 'listKeys' | 'limitKey' | 'revokeKey' | 'rotateKey'> {
  const store = createKeyStore(database)
  const accountLimitStore = createAccountLimitStore(database)
  const deps = { store, clock, accountLimitStore, gatewayLimits: config.limits, adviceOnMore: raiseTheAccount }
  return {
    createKey: (request) => {
      const peppers = requirePeppers(config)
      const { accountId, keyId = createId(clock.now()) } = request
      const action: JournaledAction = { action: 'key.create', accountId, subject: keyId }
      return note(action, {
        work: () => createKey({ ...deps, peppers }, { ...request, keyId }),
        outcomeOf: () => 'done',
      })
    },
    listKeys: (filter) => listKeys(deps, filter),
    limitKey: async (keyId, requestsPerMinute) => {
      const key = await store.find(keyId)
      if (key === null) return false
      const { accountId, requestsPerMinute: before } = key
      const details = { requests_per_minute: { from: before ?? TEAM_LIMIT, to: requestsPerMinute ?? TEAM_LIMIT } }
      const action: JournaledAction = { action: 'key.change', accountId, subject: keyId, details }
      await note(action, {
        work: () => changeKey(deps, key, { requestsPerMinute }),
        outcomeOf: () => (before === requestsPerMinute ? 'unchanged' : 'done'),
      })
      return true
    },
    revokeKey: (keyId) =>
      note(
        { action: 'key.revoke', subject: keyId },
        {
          work: () => revokeKey({ store, clock }, keyId),
          outcomeOf: ({ status }) =>
            status === 'revoked' ? 'done' : status === 'already_revoked' ? 'unchanged' : 'refused',
        },
      ),
    rotateKey: (keyId, overlapMs) => {
      const peppers = requirePeppers(config)
      const action: JournaledAction = {
        action: 'key.rotate',
        subject: keyId,
        details: { overlap_hours: overlapMs / HOUR_MS },
      }
      return note(action, {
        work: () => rotateKey({ store, peppers, clock }, { keyId, overlapMs, userId: null }),
        outcomeOf: () => 'done',
      })
    },
  }
}

function requirePeppers({ peppers }: KeyConfig): NonNullable<OperatorConfig['peppers']> {
  if (peppers !== null) return peppers
  throw new ConfigError([
    'SVC_KEY_PEPPER is missing: a key that is made without the gateway’s own pepper would not work. ' +
      `Give the one that the gateway runs with, or ${keptElsewhere}`,
  ])
}
