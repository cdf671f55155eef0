import { z } from 'zod'

export const receiptPath = z.object({
  receipt_id: z.string().min(1).max(200).describe('Id of a request, a deposit, a grant or an adjustment.'),
})

export const tilePath = z.object({
  id: z
    .string()
    .min(1)
    .max(64)
    .describe('`<L>/<N>[.p/<W>]` as c2sp.org/tlog-tiles has it, such as `0/x001/234` or `0/000.p/5`.'),
})
