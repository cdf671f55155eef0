/**
 * Names a request, so that it has its effect once however often it arrives.
 *
 * @param name the same for every attempt at one thing.
 */
export function named(name: string): { readonly headers: Readonly<Record<string, string>> } {
  return { headers: { 'idempotency-key': name } }
}
