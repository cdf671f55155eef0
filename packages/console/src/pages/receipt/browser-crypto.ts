/** Hashes and signatures by the browser's own cryptography, which answers later, for checks that want them at once. */
import { hexOf } from '@svc/contract/log/bytes'
import type { Ed25519Check, LogCrypto } from '@svc/contract/log/log-crypto'

/** This browser cannot check signatures of the ledger log. */
export class NoEd25519Error extends Error {
  constructor(cause: unknown) {
    super('This browser cannot check Ed25519 signatures here. Use a newer one over https, or `svc receipt verify`.', {
      cause,
    })
    this.name = 'NoEd25519Error'
  }
}

/** Thrown where an answer is not there yet. */
class Missing extends Error {
  readonly fetch: () => Promise<void>

  constructor(fetch: () => Promise<void>) {
    super('not calculated yet')
    this.fetch = fetch
  }
}

/** More than any receipt has steps. */
const ROUNDS_MAX = 10_000

/**
 * Runs a check, and again from its beginning after each answer that it lacked: they are few and it is quick, so that
 * the contract's own verifier works here as it is.
 *
 * @throws {NoEd25519Error}
 */
export async function withBrowserCrypto<Result>(check: (crypto: LogCrypto) => Result): Promise<Result> {
  const digests = new Map<string, Uint8Array>()
  const verdicts = new Map<string, boolean>()
  const crypto: LogCrypto = {
    sha256: (bytes) => known(digests, hexOf(bytes), () => digestOf(bytes)),
    verifyEd25519: (signed) =>
      known(verdicts, [signed.publicKey, signed.signature, signed.message].map(hexOf).join(' '), () => verify(signed)),
  }
  for (let round = 0; round < ROUNDS_MAX; round++) {
    try {
      return check(crypto)
    } catch (error) {
      if (!(error instanceof Missing)) throw error
      await error.fetch()
    }
  }
  throw new Error('The check has too many steps.')
}

function known<Value>(values: Map<string, Value>, key: string, make: () => Promise<Value>): Value {
  const value = values.get(key)
  if (value !== undefined) return value
  throw new Missing(async () => void values.set(key, await make()))
}

async function digestOf(bytes: Uint8Array): Promise<Uint8Array> {
  return new Uint8Array(await subtle().digest('SHA-256', new Uint8Array(bytes)))
}

async function verify({ publicKey, signature, message }: Ed25519Check): Promise<boolean> {
  let key: CryptoKey
  try {
    key = await subtle().importKey('raw', new Uint8Array(publicKey), 'Ed25519', false, ['verify'])
  } catch (error) {
    if (error instanceof DOMException && error.name === 'DataError') return false
    throw new NoEd25519Error(error)
  }
  return await subtle().verify('Ed25519', key, new Uint8Array(signature), new Uint8Array(message))
}

/** Only pages of https, and of this machine, have it. */
function subtle(): SubtleCrypto {
  const own: SubtleCrypto | undefined = globalThis.crypto.subtle
  if (own === undefined) throw new NoEd25519Error('the page is not secure')
  return own
}
