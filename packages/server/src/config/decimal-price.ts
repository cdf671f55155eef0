import { z } from 'zod'

/**
 * A price in USD as exact decimal text. Twelve decimals per million tokens are whole units of 10⁻¹⁸ USD per token,
 * so no digit is ever lost; a JSON number would already have been a float.
 */
export const usdText = z
  .string({ error: 'Write the price as text in quotes, such as "0.25", so that no digit is lost.' })
  .regex(
    /^\d{1,9}(\.\d{1,12})?$/,
    'Write the price in USD as a plain decimal with at most 12 decimals, such as "0.25".',
  )

/** Text that `SVC_DEFAULT_PRICE` has: input and output in USD per million tokens, such as `0.50/1.50`. */
export const pricePair = z.string().transform((text, context) => {
  const [input, output, ...rest] = text.split('/').map((part) => part.trim())
  const prices = z.object({ input: usdText, output: usdText }).safeParse({ input, output })
  if (rest.length === 0 && prices.success) return prices.data
  context.addIssue({ code: 'custom', message: 'give input and output in USD per million tokens, such as 0.50/1.50' })
  return z.NEVER
})
