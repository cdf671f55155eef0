/** How breaches call an entry of the log. */
const NAMES: Readonly<Record<string, string>> = { r: 'request', R: 'the correction of request', t: 'transfer' }

export function nameOf(entry: string): string {
  return `${NAMES[entry.slice(0, 1)] ?? 'entry'} ${entry.slice(1)}`
}
