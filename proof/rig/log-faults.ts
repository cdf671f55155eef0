/** Whether a line of a gateway's log reports a fault of its own. */
export function isFault(line: string): boolean {
  return /^\{"level":("error"|"fatal"|50|60)/.test(line)
}
