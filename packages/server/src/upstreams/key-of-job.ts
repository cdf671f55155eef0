/**
 * A video belongs to the key that has submitted it: another may not even know its job. Where an upstream has several
 * keys, what is kept as the id of the job names the key, too. A blank is in no id of a job.
 */
const MARK = ' key='

/** The id of a job as it is kept. @param key the name of the key. */
export function jobOfKey(job: string, key: string): string {
  return `${job}${MARK}${key}`
}

/** What was kept, taken apart; `key` is null where the upstream had one key. */
export function jobAtKey(kept: string): { readonly job: string; readonly key: string | null } {
  const at = kept.lastIndexOf(MARK)
  return at === -1 ? { job: kept, key: null } : { job: kept.slice(0, at), key: kept.slice(at + MARK.length) }
}
