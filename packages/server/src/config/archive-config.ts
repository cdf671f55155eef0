import { z } from 'zod'
import { filePart } from './file-part.ts'

/** The part `archive` of the configuration file; without it records are archived by command alone. Source: decision 0164. */
export const archiveSchema = filePart({
  folder: z
    .string()
    .min(1)
    .max(1_000)
    .describe('Where the files are: one folder, which all processes of a database reach by this name.'),
  months: z
    .int()
    .min(2)
    .max(240)
    .default(13)
    .describe('How many whole calendar months (UTC) stay in the database beside the present one.'),
})

export type ArchiveConfig = z.output<typeof archiveSchema>
