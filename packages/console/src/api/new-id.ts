const BYTES = 16

/** An id for something of the page, and a name for what it asks for. Not `randomUUID`, which pages lack that were not fetched by TLS. */
export function newId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(BYTES)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  )
}
