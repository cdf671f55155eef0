/** What the ids of scripted models begin with. They can be asked for and are never listed. */
export const SANDBOX_PREFIX = 'svc-sandbox/'
