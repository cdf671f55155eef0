import { type CompiledQuery, sql } from 'kysely'
import type { Database } from '../../platform/db/database.ts'
import { text, whole } from '../../platform/db/selected-value.ts'

/** A terminal that waits, or has waited, for a person. */
export interface DeviceRequest {
  /** Hash of the code that the terminal keeps. */
  readonly deviceHash: string
  /** Hash of the code that the person types. */
  readonly userHash: string
  /** As the terminal says; unproven. */
  readonly deviceName: string
  /** Whether it asks to make keys of its own. */
  readonly wantsKeys: boolean
  /** From where it asked. */
  readonly address: string
  readonly createdAt: number
  readonly expiresAt: number
}

export interface KnownDevice extends DeviceRequest {
  readonly state: 'waiting' | 'approved' | 'denied'
  /** Null until it is approved. */
  readonly approval: DeviceApproval | null
}

/** What the key of an approved terminal is derived from. */
export interface DeviceApproval {
  readonly approvalId: string
  readonly pepperVersion: number
}

export interface DeviceStore {
  /**
   * Writes a request, and forgets those whose time is over.
   *
   * @returns false where a code is taken, or as many wait as may.
   */
  insert(request: DeviceRequest, waitingMax: number): Promise<boolean>
  findByDevice(deviceHash: string): Promise<KnownDevice | null>
  findByUser(userHash: string): Promise<KnownDevice | null>
  /** Ends the wait. Returns false where it does not wait any more. */
  decide(deviceHash: string, approval: DeviceApproval | null, now: number): Promise<boolean>
}

/** A terminal that asks late must still read that its time is over. Source: own choice. */
const KEPT_MS = 3_600_000

export function createDeviceStore(database: Database): DeviceStore {
  const { read } = database
  const find = async (column: 'device_hash' | 'user_hash', hash: string): Promise<KnownDevice | null> => {
    const row = await read.selectFrom('device_request').selectAll().where(column, '=', hash).executeTakeFirst()
    if (row === undefined) return null
    const { approval_id: approvalId, pepper_version: pepperVersion } = row
    return {
      ...{ deviceHash: row.device_hash, userHash: row.user_hash, deviceName: row.device_name },
      ...{ wantsKeys: Number(row.wants_keys) === 1, address: row.address, state: row.state },
      ...{ createdAt: row.created_at, expiresAt: row.expires_at },
      approval: approvalId === null || pepperVersion === null ? null : { approvalId, pepperVersion },
    }
  }
  return {
    async insert(request, waitingMax) {
      const { createdAt: now } = request
      const forget = read.deleteFrom('device_request').where('expires_at', '<', now - KEPT_MS)
      const [, inserted] = await database.write([forget.compile(), insertStatement(database, request, waitingMax)])
      return inserted === 1
    },
    findByDevice: (deviceHash) => find('device_hash', deviceHash),
    findByUser: (userHash) => find('user_hash', userHash),
    async decide(deviceHash, approval, now) {
      const statement = read
        .updateTable('device_request')
        .set(
          approval === null
            ? { state: 'denied' }
            : { state: 'approved', approval_id: approval.approvalId, pepper_version: approval.pepperVersion },
        )
        .where('device_hash', '=', deviceHash)
        .where('state', '=', 'waiting')
        .where('expires_at', '>', now)
      const [changed] = await database.write([statement.compile()])
      return changed === 1
    },
  }
}

function insertStatement({ read }: Database, request: DeviceRequest, waitingMax: number): CompiledQuery {
  const values = [
    ...[text(request.deviceHash), text(request.userHash), text(request.deviceName)],
    ...[sql`cast(${request.wantsKeys ? 1 : 0} as smallint)`, text(request.address)],
    ...[whole(request.createdAt), whole(request.expiresAt)],
  ]
  return sql`
    insert into device_request (device_hash, user_hash, device_name, wants_keys, address, created_at, expires_at)
    select ${sql.join(values)}
     where (select count(*) from device_request where expires_at > ${request.createdAt}) < ${waitingMax}
    on conflict do nothing`.compile(read)
}
