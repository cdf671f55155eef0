import { z } from 'zod'

/** The key of one page of the playground, with its secret. */
export const playgroundKey = z.object({
  id: z.string(),
  key: z.string(),
  expires_at: z.int().describe('Seconds since the epoch. It ends with the session before that.'),
})

export type PlaygroundKey = z.output<typeof playgroundKey>
