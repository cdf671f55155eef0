/** A certificate for the upstream on this machine, signed by itself and made anew for each run. */
import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import type { ServerIdentity } from './program-settings.ts'

/** Tags of DER. Source: ITU-T X.690; names as in RFC 5280, appendix A. */
const INTEGER = 0x02
const BIT_STRING = 0x03
const OCTET_STRING = 0x04
const OBJECT_IDENTIFIER = 0x06
const UTF8_STRING = 0x0c
const UTC_TIME = 0x17
const SEQUENCE = 0x30
const SET = 0x31
const VERSION = 0xa0
const EXTENSIONS = 0xa3
const DNS_NAME = 0x82
const IP_ADDRESS = 0x87

/** Object identifiers, encoded. Source: RFC 5758 section 3.2, RFC 5280 sections 4.2.1.6 and 4.2.1.9, X.520. */
const ECDSA_WITH_SHA256 = Buffer.from('2a8648ce3d040302', 'hex')
const COMMON_NAME = Buffer.from('550403', 'hex')
const SUBJECT_ALTERNATIVE_NAME = Buffer.from('551d11', 'hex')
const BASIC_CONSTRAINTS = Buffer.from('551d13', 'hex')

const DAY_MS = 86_400_000

/** Makes a key and a certificate for `localhost` and 127.0.0.1 that is good for a day. */
export function createUpstreamIdentity(now: number): ServerIdentity {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const certificate = createCertificate(publicKey, privateKey, now)
  return {
    key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${wrap(certificate.toString('base64'))}\n-----END CERTIFICATE-----\n`,
  }
}

function createCertificate(publicKey: KeyObject, privateKey: KeyObject, now: number): Buffer {
  const algorithm = element(SEQUENCE, element(OBJECT_IDENTIFIER, ECDSA_WITH_SHA256))
  const commonName = element(
    SEQUENCE,
    element(OBJECT_IDENTIFIER, COMMON_NAME),
    element(UTF8_STRING, Buffer.from('bench upstream')),
  )
  const name = element(SEQUENCE, element(SET, commonName))
  const content = element(
    SEQUENCE,
    element(VERSION, element(INTEGER, Buffer.from([2]))),
    // Positive whatever the random part is.
    element(INTEGER, Buffer.from([1]), randomBytes(15)),
    algorithm,
    name,
    element(SEQUENCE, utcTime(now - DAY_MS), utcTime(now + DAY_MS)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    element(EXTENSIONS, element(SEQUENCE, ...extensions())),
  )
  const signature = sign('sha256', content, privateKey)
  return element(SEQUENCE, content, algorithm, element(BIT_STRING, Buffer.from([0]), signature))
}

function extensions(): Buffer[] {
  const names = element(
    SEQUENCE,
    element(DNS_NAME, Buffer.from('localhost')),
    element(IP_ADDRESS, Buffer.from([127, 0, 0, 1])),
  )
  const isAuthority = element(SEQUENCE, Buffer.from([0x01, 0x01, 0xff]))
  return [
    element(SEQUENCE, element(OBJECT_IDENTIFIER, SUBJECT_ALTERNATIVE_NAME), element(OCTET_STRING, names)),
    element(SEQUENCE, element(OBJECT_IDENTIFIER, BASIC_CONSTRAINTS), element(OCTET_STRING, isAuthority)),
  ]
}

/** One element of DER: tag, length, content. */
function element(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const { length } = content
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

function utcTime(ms: number): Buffer {
  const digits = new Date(ms).toISOString().slice(2, 19).replaceAll(/\D/g, '')
  return element(UTC_TIME, Buffer.from(`${digits}Z`))
}

function wrap(base64: string): string {
  return base64.replaceAll(/.{64}(?=.)/g, '$&\n')
}
