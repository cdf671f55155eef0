/** What sets formulas: loaded with the first one. */
import 'katex/dist/katex.min.css'
import rehypeKatex from 'rehype-katex'
import remarkMath from 'remark-math'

/** Every formula is between double dollars here: single ones are prices. */
export const remarkExtras = [[remarkMath, { singleDollarTextMath: false }]] as const
/** What is no formula stays as it was written; nothing in one grows beyond its answer or leads anywhere. */
export const rehypeExtras = [
  [rehypeKatex, { throwOnError: false, strict: 'ignore', maxSize: 20, maxExpand: 500 }],
] as const
