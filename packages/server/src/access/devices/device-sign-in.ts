/**
 * Room `devices`: a terminal is signed in by a person at a browser, as RFC 8628 has it. The terminal shows a short code,
 * the person types it on our page and decides, and the terminal fetches a key of its own. Invariant: neither code nor key
 * is at rest; a code opens nothing without a person who is signed in. Source: decision 0166 (signing in a terminal).
 */
import { createHmac, randomBytes, randomInt } from 'node:crypto'
import { ServiceError } from '../../platform/errors/service-error.ts'
import type { Clock } from '../../platform/runtime/clock.ts'
import { createId } from '../../platform/runtime/ids.ts'
import { hashToken } from '../../platform/runtime/hash-token.ts'
import type { Right } from '../keys/caller.ts'
import type { Peppers } from '../keys/pepper.ts'
import { deriveRawKey } from '../keys/raw-key.ts'
import type { KeyReach, TeamKeys } from '../keys/team-keys.ts'
import type { DeviceApproval, DeviceStore, KnownDevice } from './device-store.ts'

/** How long a code can be used. Source: RFC 8628 section 6.1 asks for a short time; own choice. */
export const DEVICE_CODE_MS = 10 * 60_000
/** How often a terminal shall ask, in seconds. Source: RFC 8628 section 3.2. */
export const DEVICE_POLL_SECONDS = 5
/** Terminals that wait at once, of all people. Source: own choice. */
const WAITING_MAX = 10_000
/** Without vowels, so that no word comes, and without what is read for another letter. Source: RFC 8628 section 6.1. */
const LETTERS = 'BCDFGHJKLMNPQRSTVWXZ'
const USER_CODE_LENGTH = 8
const DEVICE_CODE_BYTES = 32
const KEY_NAME_START = 'Terminal client on '
const TRIES_MAX = 3

export interface DeviceSignInDeps {
  readonly store: DeviceStore
  readonly keys: Pick<TeamKeys, 'create' | 'revoke'>
  readonly peppers: Peppers
  readonly clock: Clock
}

export interface NewDevice {
  /** As the terminal says. */
  readonly deviceName: string
  readonly wantsKeys: boolean
  readonly address: string
}

export interface DeviceCodes {
  readonly deviceCode: string
  /** "BCDF-GHJK" */
  readonly userCode: string
  readonly expiresAt: number
}

/** What a terminal reads when it asks. */
export type DeviceState =
  | { readonly status: 'pending' | 'denied' | 'expired' }
  | { readonly status: 'approved'; readonly key: string }

/** What a person gives a terminal. */
export interface DeviceGrant {
  readonly expiresAt: number | null
  /** Whether its key may make others that follow it. */
  readonly makesKeys: boolean
}

/** @throws {ServiceError} `server_is_overloaded` where too many wait. */
export async function requestDevice(deps: DeviceSignInDeps, device: NewDevice): Promise<DeviceCodes> {
  const now = deps.clock.now()
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    const deviceCode = randomBytes(DEVICE_CODE_BYTES).toString('base64url')
    const letters = Array.from({ length: USER_CODE_LENGTH }, () => LETTERS.charAt(randomInt(LETTERS.length))).join('')
    const expiresAt = now + DEVICE_CODE_MS
    const codes = { deviceHash: hashDeviceCode(deviceCode), userHash: hashUserCode(deps, letters) }
    if (await deps.store.insert({ ...device, ...codes, createdAt: now, expiresAt }, WAITING_MAX)) {
      return { deviceCode, userCode: `${letters.slice(0, 4)}-${letters.slice(4)}`, expiresAt }
    }
  }
  throw new ServiceError('server_is_overloaded', 'Too many terminals wait to be signed in. Try again in a minute.')
}

/**
 * What became of a terminal's request. The same each time, so that an answer that is lost on the way is asked for again;
 * a code that is unknown is one whose time is over.
 */
export async function pollDevice(deps: DeviceSignInDeps, deviceCode: string): Promise<DeviceState> {
  const known = await deps.store.findByDevice(hashDeviceCode(deviceCode))
  if (known === null || known.expiresAt <= deps.clock.now()) return { status: 'expired' }
  if (known.state === 'denied') return { status: 'denied' }
  const key = known.approval === null ? null : keyOf(deps, known.deviceHash, known.approval)
  if (key !== null) return { status: 'approved', key }
  return { status: known.approval === null ? 'pending' : 'expired' }
}

/** @throws {ServiceError} `device_code_not_found` for a code that is none, is over, or was decided. */
export async function findDevice(deps: DeviceSignInDeps, userCode: string): Promise<KnownDevice> {
  const letters = userCode.toUpperCase().replaceAll(/[^A-Z]/g, '')
  const known = await deps.store.findByUser(hashUserCode(deps, letters))
  if (known !== null && known.state === 'waiting' && known.expiresAt > deps.clock.now()) return known
  throw unknownCode()
}

/**
 * Gives the terminal a key of its own, in the name of a person.
 *
 * @throws {ServiceError} as `findDevice` and `TeamKeys.create` do.
 */
export async function approveDevice(
  deps: DeviceSignInDeps,
  reach: KeyReach,
  { userCode, grant }: { readonly userCode: string; readonly grant: DeviceGrant },
): Promise<{ readonly keyId: string; readonly name: string }> {
  const device = await findDevice(deps, userCode)
  const now = deps.clock.now()
  const [pepper] = deps.peppers
  const approval = { approvalId: createId(now), pepperVersion: pepper.version }
  const rawKey = keyOf(deps, device.deviceHash, approval)
  if (rawKey === null) throw unknownCode()
  const name = `${KEY_NAME_START}${device.deviceName}`
  const rights: readonly Right[] = [
    'inference',
    'deposits',
    ...(grant.makesKeys && device.wantsKeys ? (['keys'] as const) : []),
  ]
  const made = await deps.keys.create(reach, { name, rights, rawKey, expiresAt: grant.expiresAt, kind: 'personal' })
  if (await deps.store.decide(device.deviceHash, approval, now)) return { keyId: made.keyId, name }
  // Another page was quicker, or the time is over: no terminal will ever fetch this key.
  await deps.keys.revoke(reach, made.keyId)
  throw unknownCode()
}

/** @throws {ServiceError} as `findDevice` does. */
export async function denyDevice(deps: DeviceSignInDeps, userCode: string): Promise<void> {
  const { deviceHash } = await findDevice(deps, userCode)
  if (!(await deps.store.decide(deviceHash, null, deps.clock.now()))) throw unknownCode()
}

/** Null where the pepper of the approval is gone. */
function keyOf({ peppers }: DeviceSignInDeps, deviceHash: string, approval: DeviceApproval): string | null {
  const pepper = peppers.find(({ version }) => version === approval.pepperVersion)
  if (pepper === undefined) return null
  return deriveRawKey(['device', deviceHash, approval.approvalId], pepper.secret)
}

/** 256 random bits need no pepper. */
function hashDeviceCode(deviceCode: string): string {
  return hashToken(`device code\n${deviceCode}`)
}

/** A short code does: a reader of the database could try them all. */
function hashUserCode({ peppers }: DeviceSignInDeps, letters: string): string {
  return createHmac('sha256', peppers[0].secret).update(`user code\n${letters}`).digest('hex')
}

function unknownCode(): ServiceError {
  return new ServiceError('device_code_not_found', 'This code is unknown, was used, or has expired.', {
    param: 'user_code',
  })
}
