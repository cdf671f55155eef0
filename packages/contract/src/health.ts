import { z } from 'zod'

const routing = z.enum(['ok', 'degraded', 'down', 'off'])

/** Whether the gateway works, and which modalities are served. 503 with the same shape when the status is `down`. */
export const healthReply = z
  .looseObject({
    status: z.enum(['ok', 'degraded', 'down']),
    version: z.string(),
    time: z.string().describe('ISO 8601, UTC.'),
    routing: z
      .object({ text: routing, image: routing, video: routing, audio: routing })
      .describe('State by modality; off means that no upstream is configured for it.'),
    database: z
      .enum(['ok', 'degraded', 'down'])
      .describe(
        'Degraded while commits fail or are late, or settlements wait to be written; down when it does not answer and nothing can be charged.',
      ),
    deposits: z
      .enum(['ok', 'degraded', 'off'])
      .describe('Whether the chains can be read; deposits wait while they cannot. Off means that none are taken.'),
    ledger_log: z
      .enum(['ok', 'degraded'])
      .describe(
        'Degraded while nothing is put down or signed: its key is missing, or the database is not the one that was published.',
      ),
    circuits: z
      .object({ open: z.int(), half_open: z.int() })
      .describe('Models of upstreams that are left alone because they failed, and those that are tried again.'),
    catalog: z.object({
      featured: z.int(),
      models: z.int(),
      updated_at: z
        .string()
        .nullable()
        .describe(
          "ISO 8601: when the upstream's list was last read, or the date of the bundled list while that is in use; null while there is neither.",
        ),
    }),
  })
  .meta({ id: 'Health' })

export type HealthReply = z.output<typeof healthReply>
