import { groupDigits } from '@svc/contract'

/** A count for people, as the amounts beside it: `128,000`. What programs read has the digits alone. */
export const countText = (count: number | string): string => groupDigits(String(count))
