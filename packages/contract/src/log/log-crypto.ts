/**
 * Folder `log`: the formats of the ledger log and of receipts, as everybody can check them: RFC 6962 trees, C2SP tiles,
 * checkpoints and proofs, and the encoding of a leaf. Pure: hashes and signatures are passed in, tiles are asked for.
 * docs/trust.md describes every byte.
 */

/** SHA-256 of bytes; 32 bytes. What it is given is used anew afterwards, so it keeps none of it. */
export type Sha256 = (bytes: Uint8Array) => Uint8Array

/** What the place has to check signatures and hashes with: `node:crypto`, or a library in a browser. */
export interface LogCrypto {
  readonly sha256: Sha256
  /** Whether an Ed25519 signature is that of a key over a message. Source: RFC 8032. */
  readonly verifyEd25519: (check: Ed25519Check) => boolean
}

export interface Ed25519Check {
  /** 32 bytes. */
  readonly publicKey: Uint8Array
  /** 64 bytes, or anything else, which no key has made. */
  readonly signature: Uint8Array
  readonly message: Uint8Array
}
