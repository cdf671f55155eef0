/** Set by the build; the sources themselves are always the newest. */
declare const SVC_VERSION: string | undefined

export const isBundled = typeof SVC_VERSION === 'string'

export const version = typeof SVC_VERSION === 'string' ? SVC_VERSION : '0.1.0-source'
