/** Checks hashes and signatures as Node can. Browsers have a library for it. */
import { createHash, createPublicKey, verify } from 'node:crypto'
import type { LogCrypto } from './log-crypto.ts'

export const nodeCrypto: LogCrypto = {
  // Plain bytes, as all others have them: a Buffer is equal to none.
  sha256: (bytes) => new Uint8Array(createHash('sha256').update(bytes).digest()),
  verifyEd25519: ({ publicKey, signature, message }) => {
    const x = Buffer.from(publicKey).toString('base64url')
    try {
      const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
      return verify(null, message, key, signature)
    } catch {
      return false
    }
  },
}
