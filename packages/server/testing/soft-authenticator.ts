/** A device with passkeys, without the device: makes and uses them as a browser would say it, or as a forger would. */
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import type { NewPasskeyAnswer, PasskeyAnswer } from '@svc/contract'

/** What a browser is asked for, as far as the device looks at it. */
export interface Asked {
  readonly challenge: string
}

/** What the device says of itself; the rest is as it should be. */
export interface DeviceLies {
  readonly challenge?: string
  readonly origin?: string
  readonly rpId?: string
  readonly type?: string
  /** Whether the person has touched it, and shown that it is them. */
  readonly isVerified?: boolean
  readonly counter?: number
  readonly userHandle?: string
  readonly credentialId?: string
  readonly signature?: Buffer
  /** Certificates of the device. */
  readonly certificates?: readonly Buffer[]
}

const PRESENT = 0x01
const VERIFIED = 0x04
const HAS_KEY = 0x40

const sha256 = (bytes: Buffer | string): Buffer => createHash('sha256').update(bytes).digest()
const base64url = (bytes: Buffer | string): string => Buffer.from(bytes).toString('base64url')

export interface SoftPasskey {
  readonly credentialId: string
  create(asked: Asked & { readonly user: { readonly id: string } }, lies?: DeviceLies): NewPasskeyAnswer
  use(asked: Asked, lies?: DeviceLies): PasskeyAnswer
}

/** @param place the gateway that the passkey is for. */
export function createSoftPasskey(place: { readonly rpId: string; readonly origin: string }): SoftPasskey {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const credential = randomBytes(32)
  const credentialId = base64url(credential)
  let userHandle = ''
  let uses = 0
  const clientData = (type: string, asked: Asked, lies: DeviceLies): string =>
    base64url(
      JSON.stringify({
        ...{ type: lies.type ?? type, challenge: lies.challenge ?? asked.challenge },
        ...{ origin: lies.origin ?? place.origin, crossOrigin: false },
      }),
    )
  const deviceData = (lies: DeviceLies, flags: number, tail = Buffer.alloc(0)): Buffer => {
    const counter = Buffer.alloc(4)
    counter.writeUInt32BE(lies.counter ?? uses)
    const verified = lies.isVerified === false ? 0 : VERIFIED
    return Buffer.concat([sha256(lies.rpId ?? place.rpId), Buffer.from([PRESENT | verified | flags]), counter, tail])
  }
  return {
    credentialId,
    create: (asked, lies = {}) => {
      userHandle = asked.user.id
      const length = Buffer.alloc(2)
      length.writeUInt16BE(credential.length)
      const attested = Buffer.concat([Buffer.alloc(16), length, credential, coseKey(publicKey)])
      const statement: readonly Pair[] =
        lies.certificates === undefined
          ? []
          : [
              ['alg', -7],
              ['sig', Buffer.from('forged')],
              ['x5c', lies.certificates],
            ]
      const attestation = cborMap([
        ['fmt', lies.certificates === undefined ? 'none' : 'packed'],
        ['attStmt', statement],
        ['authData', deviceData(lies, HAS_KEY, attested)],
      ])
      return {
        ...{ id: lies.credentialId ?? credentialId, rawId: lies.credentialId ?? credentialId, type: 'public-key' },
        response: {
          clientDataJSON: clientData('webauthn.create', asked, lies),
          attestationObject: base64url(attestation),
          transports: ['internal'],
        },
        clientExtensionResults: { credProps: { rk: true } },
      }
    },
    use: (asked, lies = {}) => {
      uses += 1
      const clientDataJSON = clientData('webauthn.get', asked, lies)
      const authenticatorData = deviceData(lies, 0)
      const signed = Buffer.concat([authenticatorData, sha256(Buffer.from(clientDataJSON, 'base64url'))])
      const id = lies.credentialId ?? credentialId
      return {
        ...{ id, rawId: id, type: 'public-key' },
        response: {
          ...{ clientDataJSON, authenticatorData: base64url(authenticatorData) },
          signature: base64url(lies.signature ?? sign('sha256', signed, privateKey)),
          userHandle: lies.userHandle ?? userHandle,
        },
        clientExtensionResults: {},
      }
    },
  }
}

type Value = string | number | Buffer | readonly Buffer[] | readonly Pair[]
type Pair = readonly [key: string | number, value: Value]

/** As much of CBOR as devices write. Source: RFC 8949, section 3. */
function cbor(value: Value): Buffer {
  if (typeof value === 'number') return value < 0 ? cborHead(1, -1 - value) : cborHead(0, value)
  if (typeof value === 'string') return Buffer.concat([cborHead(3, Buffer.byteLength(value)), Buffer.from(value)])
  if (Buffer.isBuffer(value)) return Buffer.concat([cborHead(2, value.length), value])
  if (value.length > 0 && value.every((each) => Buffer.isBuffer(each))) {
    return Buffer.concat([cborHead(4, value.length), ...value.map((each) => cbor(each))])
  }
  return cborMap(value as readonly Pair[])
}

function cborMap(pairs: readonly Pair[]): Buffer {
  return Buffer.concat([cborHead(5, pairs.length), ...pairs.flatMap(([key, value]) => [cbor(key), cbor(value)])])
}

function cborHead(major: number, length: number): Buffer {
  if (length < 24) return Buffer.from([(major << 5) | length])
  if (length < 256) return Buffer.from([(major << 5) | 24, length])
  return Buffer.from([(major << 5) | 25, length >> 8, length & 255])
}

/** ES256 on P-256. Source: RFC 9053, sections 2.1 and 7.1.1. */
function coseKey(publicKey: KeyObject): Buffer {
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  return cborMap([
    [1, 2],
    [3, -7],
    [-1, 1],
    [-2, Buffer.from(x, 'base64url')],
    [-3, Buffer.from(y, 'base64url')],
  ])
}
