/** What finds and sets formulas: loaded with the first one. */
import remarkMath from 'remark-math'

export { Formula } from './formula.tsx'

/** Every formula is between double dollars here: single ones are prices. */
export const remarkExtras = [[remarkMath, { singleDollarTextMath: false }]] as const
