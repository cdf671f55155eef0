import { z } from 'zod'
import { teamPath } from './team-keys.ts'

/** Room for the blanks and dashes that people type. */
const USER_CODE_LENGTH_MAX = 40

const userCode = z.string().min(1).max(USER_CODE_LENGTH_MAX).describe('As the terminal shows it; blanks do not matter.')

export const deviceCodeBody = z.object({ user_code: userCode })

/** A terminal that asks to be signed in. */
export const waitingDevice = z.object({
  device_name: z.string().describe('As the terminal says; unproven.'),
  address: z.string().describe('From where it asked.'),
  is_same_address: z.boolean().describe('Whether this browser comes from there, too.'),
  wants_keys: z.boolean(),
  requested_at: z.int().describe('Seconds since the epoch.'),
  expires_at: z.int(),
})

export type WaitingDevice = z.output<typeof waitingDevice>

export const deviceApproval = z.object({
  user_code: userCode,
  makes_keys: z.boolean().describe('Whether its key may make others that follow it.'),
  expires_at: z.int().positive().max(253_402_300_799).nullable().describe('Of its key; null for never.'),
})

export const deviceTeamPath = teamPath

/** The key that the terminal has now. */
export const approvedDevice = z.object({ id: z.string(), name: z.string() })
