/** Whether a line of a gateway's log reports a fault of its own. */
export function isFault(line: string): boolean {
  return /^\{"level":("error"|"fatal"|50|60)/.test(line)
}

/** Whether a line says that the process could not renew its lease in time: a busy machine does that to short leases. */
export function isLostLease(line: string): boolean {
  return line.includes('the lease of this process cannot be renewed')
}
