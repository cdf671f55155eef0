/** What the ids of scripted models begin with. They can be asked for and are never listed. */
export const SANDBOX_PREFIX = 'svc-sandbox/'

/** What the ids of their jobs begin with. */
export const SCRIPTED_JOB_PREFIX = 'job-scripted-'

/** Tells by the id of a model, or of a job, whether it plays what a developer asked for. */
export function isScripted(id: string): boolean {
  return id.startsWith(SANDBOX_PREFIX) || id.startsWith(SCRIPTED_JOB_PREFIX)
}
