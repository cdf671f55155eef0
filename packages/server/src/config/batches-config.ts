import { z } from 'zod'
import { filePart } from './file-part.ts'

/** The part `batches` of the configuration file. Source: decision 0135. */
export const batchesSchema = filePart({
  price_percent: z
    .int()
    .min(1)
    .max(100)
    .default(100)
    .describe(
      'How much of the rate card a request of a batch is charged, in percent. A charge is never less than what the ' +
        'upstream costs and the margin.',
    ),
  lines_at_once: z
    .int()
    .min(1)
    .max(1_000)
    .default(8)
    .describe(
      'Requests of batches that a process works on at a time; each request of others takes the place of one, and one ' +
        'always goes on.',
    ),
})

export type BatchesConfig = z.output<typeof batchesSchema>
