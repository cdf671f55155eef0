import { z } from 'zod'

/** In the charge annotation of every answer. Source: decision 0071 (settlements outlive an outage). */
export const chargeState = z
  .literal('pending')
  .optional()
  .describe(
    'Present where the charge is certain and not in the books yet, since their database was away: it is booked as soon ' +
      'as that is back. Until then the credits stay on hold, and `GET /v1/usage/{request_id}` says `pending`, too.',
  )
