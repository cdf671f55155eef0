import { sql } from 'kysely'
import type { Database } from '../../platform/db/database.ts'
import { text, whole } from '../../platform/db/selected-value.ts'

/** What is kept of a passkey. Its private key never leaves the person's device. */
export interface StoredPasskey {
  readonly passkeyId: string
  readonly userId: string
  /** As the device calls it, in base64url. */
  readonly credentialId: string
  /** COSE, in base64url. It checks signatures and makes none. */
  readonly publicKey: string
  /** How often the device says that it was used; 0 for good where the device does not count. */
  readonly counter: number
  /** The name of the gateway that it was made for. */
  readonly rpId: string
  /** How the device can be reached, as the browser says. */
  readonly transports: readonly string[]
  /** Whether the device has a copy elsewhere, such as in the person's password manager. */
  readonly isBackedUp: boolean
  readonly name: string
  readonly addedAt: number
  /** Null before it has signed in. */
  readonly lastUsedAt: number | null
}

/** A random text that a device signs, once. */
export interface Challenge {
  readonly hash: string
  /** Who may answer it: a session that adds a passkey, or a browser that signs in. */
  readonly flow: { readonly sessionId: string } | { readonly browserHash: string }
  readonly expiresAt: number
}

export interface PasskeyStore {
  /** Writes a challenge, and forgets those whose time is over. */
  writeChallenge(challenge: Challenge, now: number): Promise<void>
  /** Takes a challenge, once. Returns false where there is none of this flow, or its time is over. */
  takeChallenge(challenge: Omit<Challenge, 'expiresAt'>, now: number): Promise<boolean>
  /** @returns what stands against it. */
  insert(passkey: StoredPasskey, max: number): Promise<'inserted' | 'taken' | 'too_many'>
  /** Oldest first. */
  list(userId: string): Promise<readonly StoredPasskey[]>
  find(credentialId: string): Promise<StoredPasskey | null>
  /**
   * Notes a use. Returns false, and changes nothing, where the device's counter has not gone on since the last use, or
   * the passkey is gone.
   */
  noteUse(passkeyId: string, use: Pick<StoredPasskey, 'counter' | 'isBackedUp'>, now: number): Promise<boolean>
  /** Returns false where the person has no such passkey. */
  rename(own: OwnPasskey, name: string): Promise<boolean>
  /** Returns false where the person has no such passkey. */
  remove(own: OwnPasskey): Promise<boolean>
}

export interface OwnPasskey {
  readonly userId: string
  readonly passkeyId: string
}

export function createPasskeyStore(database: Database): PasskeyStore {
  const { read } = database
  const rows = () => read.selectFrom('passkey').selectAll()
  return {
    async writeChallenge({ hash, flow, expiresAt }, now) {
      const write =
        'sessionId' in flow
          ? // A session may have ended in this moment: then no challenge is written for it.
            sql`
              insert into passkey_challenge (challenge_hash, session_id, expires_at)
              select ${text(hash)}, id, ${whole(expiresAt)} from sign_in_session where id = ${flow.sessionId}`.compile(
              read,
            )
          : read
              .insertInto('passkey_challenge')
              .values({ challenge_hash: hash, browser_hash: flow.browserHash, expires_at: expiresAt })
              .compile()
      await database.write([read.deleteFrom('passkey_challenge').where('expires_at', '<=', now).compile(), write])
    },
    async takeChallenge({ hash, flow }, now) {
      const statement = read
        .deleteFrom('passkey_challenge')
        .where('challenge_hash', '=', hash)
        .where('expires_at', '>', now)
        .where((where) =>
          'sessionId' in flow ? where('session_id', '=', flow.sessionId) : where('browser_hash', '=', flow.browserHash),
        )
      return (await database.write([statement.compile()]))[0] === 1
    },
    async insert(passkey, max) {
      const transports = passkey.transports.join(',')
      const statement = sql`
        insert into passkey (passkey_id, user_id, credential_id, public_key, counter, rp_id, transports, is_backed_up,
                             name, added_at, last_used_at)
        select ${text(passkey.passkeyId)}, id, ${text(passkey.credentialId)}, ${text(passkey.publicKey)},
               ${whole(passkey.counter)}, ${text(passkey.rpId)}, ${text(transports)},
               ${flag(passkey.isBackedUp)}, ${text(passkey.name)}, ${whole(passkey.addedAt)},
               ${whole(passkey.lastUsedAt)}
          from sign_in_user
         where id = ${passkey.userId} and (select count(*) from passkey where user_id = ${passkey.userId}) < ${max}
        on conflict (credential_id) do nothing`
      const [inserted] = await database.write([statement.compile(read)])
      if (inserted === 1) return 'inserted'
      const found = await rows().where('credential_id', '=', passkey.credentialId).executeTakeFirst()
      return found === undefined ? 'too_many' : 'taken'
    },
    async list(userId) {
      const found = await rows().where('user_id', '=', userId).orderBy('added_at').orderBy('passkey_id').execute()
      return found.map(passkeyFromRow)
    },
    async find(credentialId) {
      const row = await rows().where('credential_id', '=', credentialId).executeTakeFirst()
      return row === undefined ? null : passkeyFromRow(row)
    },
    async noteUse(passkeyId, { counter, isBackedUp }, now) {
      const statement = read
        .updateTable('passkey')
        .set({ counter, is_backed_up: isBackedUp ? 1 : 0, last_used_at: now })
        .where('passkey_id', '=', passkeyId)
        // A device that does not count says 0 for good. Source: W3C Web Authentication, section 6.1.1.
        .where((where) => (counter === 0 ? where('counter', '=', 0) : where('counter', '<', counter)))
      return (await database.write([statement.compile()]))[0] === 1
    },
    async rename({ userId, passkeyId }, name) {
      const statement = read
        .updateTable('passkey')
        .set({ name })
        .where('passkey_id', '=', passkeyId)
        .where('user_id', '=', userId)
      return (await database.write([statement.compile()]))[0] === 1
    },
    async remove({ userId, passkeyId }) {
      const statement = read.deleteFrom('passkey').where('passkey_id', '=', passkeyId).where('user_id', '=', userId)
      return (await database.write([statement.compile()]))[0] === 1
    },
  }
}

const flag = (value: boolean) => (value ? sql`1` : sql`0`)

function passkeyFromRow(row: {
  readonly passkey_id: string
  readonly user_id: string
  readonly credential_id: string
  readonly public_key: string
  readonly counter: number
  readonly rp_id: string
  readonly transports: string
  readonly is_backed_up: number
  readonly name: string
  readonly added_at: number
  readonly last_used_at: number | null
}): StoredPasskey {
  return {
    ...{ passkeyId: row.passkey_id, userId: row.user_id, credentialId: row.credential_id, publicKey: row.public_key },
    ...{ counter: row.counter, rpId: row.rp_id, transports: row.transports.split(',').filter((each) => each !== '') },
    ...{ isBackedUp: Number(row.is_backed_up) === 1, name: row.name },
    ...{ addedAt: row.added_at, lastUsedAt: row.last_used_at },
  }
}
