/** What erases accounts, for a page and for a command. Part of the composition. */
import { createAccountStore } from '../access/accounts/account-store.ts'
import { type ActingMember, writesOfMember } from '../access/keys/acting-member.ts'
import { createKeyStore, type KeyStore } from '../access/keys/key-store.ts'
import type { EraseDeps } from '../operations/actions/erase-account.ts'
import { createErasureStore } from '../operations/actions/erasure-store.ts'
import type { Database } from '../platform/db/database.ts'

/** Makes it. @param keysOf makes the store that revokes keys; a gateway hears of that at once. */
export function openErasing(
  database: Database,
  services: Pick<EraseDeps, 'ledger' | 'journal' | 'clock'>,
  keysOf: (database: Database) => Pick<KeyStore, 'revokeAllOf'> = createKeyStore,
): EraseDeps {
  const { ledger, journal, clock } = services
  const writesFor = (member: ActingMember | undefined) => {
    const own = member === undefined ? database : writesOfMember(database, member)
    return { accounts: createAccountStore(own), keys: keysOf(own) }
  }
  return { ledger, journal, clock, store: createErasureStore(database), writesFor }
}
