/** Limits that operators set while the gateway runs, read as those of the file are. Source: decision 0177. */
import type { LimitUnit } from '@svc/contract'
import { z } from 'zod'
import { camelCase } from './file-part.ts'
import { type LimitName, type LimitsConfig, limitsSchema, unitOfLimit } from './limits-config.ts'
import { plainProblem } from './plain-problem.ts'

/** What is set beside the file, by the names of the file. */
export type LimitSettings = ReadonlyMap<LimitName, number>

/** What is known of a limit wherever it is set. */
export interface LimitFacts {
  readonly name: LimitName
  readonly description: string
  readonly unit: LimitUnit
  readonly default: number
  readonly least: number
  readonly most: number
  /** Why it is read at a start alone; null for what a running gateway takes up. */
  readonly restart: string | null
}

const LISTENER = 'The server is made with it before it listens.'
const AGREED = 'All processes go by it to tell that one of them is gone, so none may have another.'
const PLANNED = 'Background work is planned with it.'

const RESTART: Partial<Readonly<Record<LimitName, string>>> = {
  headers_ms: LISTENER,
  request_ms: LISTENER,
  header_bytes: LISTENER,
  lease_ms: AGREED,
  journal_ms: AGREED,
  shared_limits_ms: 'The link to what processes share is made with it.',
  audit_hours: PLANNED,
  reconcile_hours: PLANNED,
  shutdown_grace_ms: 'What stops the process goes by it as well, such as a grace period of the deployment.',
}

const property = z.object({ description: z.string(), default: z.int(), minimum: z.int(), maximum: z.int() })

const { properties = {} } = z.toJSONSchema(limitsSchema, { io: 'input' })

/** All limits, in the order of the documentation. */
export const limitFacts: readonly LimitFacts[] = Object.entries(properties).map(([key, schema]) => {
  const name = key as LimitName
  const { minimum: least, maximum: most, ...facts } = property.parse(schema)
  return { name, ...facts, unit: unitOfLimit(name), least, most, restart: RESTART[name] ?? null }
})

export function findLimit(name: string): LimitFacts | undefined {
  return limitFacts.find((limit) => limit.name === name)
}

/** What a limit is in what was read. */
export function valueOfLimit(limits: LimitsConfig, name: LimitName): number {
  return limits[camelCase(name) as keyof LimitsConfig]
}

/** What is wrong with a value; null where it can be set. */
export function limitProblem(name: LimitName, value: number): string | null {
  const { error } = limitsSchema.safeParse({ [name]: value }, { error: plainProblem })
  return error?.issues[0]?.message ?? null
}

/** The limits with what is set beside the file. What the file sets goes first, and what needs a start stays. */
export function withLimitSettings(
  limits: LimitsConfig,
  ofFile: ReadonlySet<LimitName>,
  set: LimitSettings,
): LimitsConfig {
  const taken = [...set].filter(([name]) => !ofFile.has(name) && RESTART[name] === undefined)
  return { ...limits, ...Object.fromEntries(taken.map(([name, value]) => [camelCase(name), value])) }
}
