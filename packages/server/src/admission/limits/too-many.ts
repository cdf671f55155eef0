import { ServiceError } from '../../platform/errors/service-error.ts'

/** A limit that a caller has reached. */
export interface ReachedLimit {
  /** What is counted and for whom, such as `requests with this key`. */
  readonly what: string
  /** Such as `600 a minute`. */
  readonly most: string
  readonly waitSeconds: number
  readonly headers?: Readonly<Record<string, string>>
}

/** How much a limit allows, and for whom it was set, where that is shown. */
export function mostOf(amount: string, setFor: string | undefined): string {
  return setFor === undefined ? amount : `${amount}, set for this ${setFor}`
}

/** The refusal of a call that comes too soon: it names the limit, and when to come back. Source: decision 0015. */
export function tooMany(
  { what, most, waitSeconds, headers }: ReachedLimit,
  code: 'rate_limit_exceeded' | 'claim_rate_limited' = 'rate_limit_exceeded',
): ServiceError {
  const message = `Too many ${what}: at most ${most}. Try again in ${waitSeconds} s.`
  return new ServiceError(code, message, {
    retryAfterSeconds: waitSeconds,
    ...(headers === undefined ? {} : { headers }),
  })
}
