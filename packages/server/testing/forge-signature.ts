/**
 * The signed address with another signature: its first character is exchanged for one that it is not, so that the
 * result is wrong whatever the signature was.
 */
export function forgeSignature(url: string): string {
  return url.replace(/signature=(.)/, (_, first: string) => `signature=${first === '_' ? '-' : '_'}`)
}
