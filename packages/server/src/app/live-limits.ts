/** Limits that operators set while the gateway runs: read, applied, previewed. Part of the composition. */
import type { GatewayLimit, GatewayLimitChange, GatewayLimitPreview, LimitUnit } from '@svc/contract'
import { type AccountLimitStore, createAccountLimitStore } from '../access/keys/account-limit-store.ts'
import type { KeyAuthenticator } from '../access/keys/authenticate-key.ts'
import { limitsOfAccount, NO_LIMITS_SET } from '../access/keys/request-limits.ts'
import type { StoredSetting } from '../access/operators/operator-store.ts'
import { burstOf } from '../admission/limits/rate-limit.ts'
import type { Config } from '../config/config.ts'
import {
  findLimit,
  type LimitFacts,
  limitFacts,
  limitProblem,
  type LimitSettings,
  valueOfLimit,
  withLimitSettings,
} from '../config/limit-settings.ts'
import type { LimitName, LimitsConfig } from '../config/limits-config.ts'
import { endSentence } from '../config/plain-problem.ts'
import { BODY_COPIES } from '../edge/read-body.ts'
import {
  type GatewayLimitServices,
  LIMIT_SETTING,
  type ListedLimits,
} from '../operations/actions/change-gateway-limits.ts'
import type { Database } from '../platform/db/database.ts'
import type { Logger } from '../platform/runtime/log.ts'
import { PAGE_CALLS } from './open-console.ts'
import { readSettingsBesideFile } from './settings-beside-file.ts'

type Stored = ReadonlyMap<LimitName, StoredSetting>

/** The limits that hold. The code that applies one reads it then: operators change some while the gateway runs. */
type LimitsNow = { -readonly [Name in keyof LimitsConfig]: LimitsConfig[Name] }

export const changeable = ({ limits }: Pick<Config, 'limits'>): LimitsNow => ({ ...limits })

interface LiveLimitsParts {
  /** As the file and the defaults have them. */
  readonly given: Pick<Config, 'limits' | 'limitsOfFile'>
  readonly database: Database
  readonly log: Pick<Logger, 'warn' | 'info'>
  /** What the gateway goes by: changed in place. */
  readonly limitsNow: LimitsNow
  /** Limits of its cached callers are made from those of the gateway. */
  readonly authenticator: Pick<KeyAuthenticator, 'forgetAll'>
}

export class LiveLimits implements GatewayLimitServices {
  readonly #parts: LiveLimitsParts
  readonly #own: Pick<AccountLimitStore, 'countOwn'>
  #applied = ''

  constructor(parts: LiveLimitsParts) {
    this.#parts = parts
    this.#own = createAccountLimitStore(parts.database)
  }

  async follow(): Promise<void> {
    const { settings, problems } = readStored(await readLimitSettings(this.#parts.database))
    const version = JSON.stringify([...settings])
    if (version === this.#applied) return
    for (const problem of problems) this.#parts.log.warn(problem)
    Object.assign(this.#parts.limitsNow, this.#with(settings))
    this.#parts.authenticator.forgetAll()
    this.#applied = version
  }

  async list(): Promise<ListedLimits> {
    const stored = await readLimitSettings(this.#parts.database)
    const { settings, problems } = readStored(stored)
    const limits = this.#with(settings)
    const { limitsOfFile } = this.#parts.given
    const data = limitFacts.map((facts): GatewayLimit => {
      const setting = facts.restart === null ? stored.get(facts.name) : undefined
      const isOurs = setting !== undefined && settings.has(facts.name) && !limitsOfFile.has(facts.name)
      return {
        ...facts,
        value: valueOfLimit(limits, facts.name),
        set_in: limitsOfFile.has(facts.name) ? 'file' : isOurs ? 'console' : 'default',
        at: isOurs ? setting.updatedAt : null,
        by: isOurs ? setting.updatedBy : null,
      }
    })
    return { data, problems }
  }

  async preview({ name, value }: GatewayLimitChange): Promise<GatewayLimitPreview> {
    const { settings } = readStored(await readLimitSettings(this.#parts.database))
    const facts = findLimit(name)
    if (facts === undefined) throw new Error(`There is no limit ${name}`)
    const next = new Map(settings)
    if (value === null) next.delete(facts.name)
    else next.set(facts.name, value)
    const [before, after] = [this.#with(settings), this.#with(next)]
    const was = effectsOf(facts, before)
    const data = effectsOf(facts, after).flatMap(({ what, unit, amount }, index) => {
      const earlier = was[index]?.amount ?? amount
      return earlier === amount ? [] : [{ what, unit, before: earlier, after: amount }]
    })
    return { data, accounts_unchanged: await this.#countOwn(facts.name), warnings: [...warningsOf(after)] }
  }

  problemOf({ name, value }: GatewayLimitChange): string | null {
    const facts = findLimit(name)
    if (facts === undefined) return `There is no limit named ${name}.`
    if (this.#parts.given.limitsOfFile.has(facts.name)) {
      return `${name} is set in svc.config.json, which goes first. Change it there.`
    }
    if (facts.restart !== null) {
      return `${name} is read at a start alone, so set it in svc.config.json. ${facts.restart}`
    }
    const problem = value === null ? null : limitProblem(facts.name, value)
    return problem === null ? null : `${name} cannot be ${value}: ${endSentence(problem)}`
  }

  #with(settings: LimitSettings): LimitsConfig {
    const { limits, limitsOfFile } = this.#parts.given
    return withLimitSettings(limits, limitsOfFile, settings)
  }

  async #countOwn(name: LimitName): Promise<number> {
    const own = await this.#own.countOwn()
    if (name === 'requests_per_minute') return own.requestsPerMinute
    return name === 'streams_at_once' ? own.streamsAtOnce : 0
  }
}

/** The limits of a store that a command has opened: those of the file, and what operators have set beside it. */
export async function limitsInForce(
  database: Database,
  { limits, limitsOfFile }: Pick<Config, 'limits' | 'limitsOfFile'>,
): Promise<LimitsConfig> {
  return withLimitSettings(limits, limitsOfFile, readStored(await readLimitSettings(database)).settings)
}

async function readLimitSettings(database: Database): Promise<Stored> {
  const settings = await readSettingsBesideFile(database, [LIMIT_SETTING])
  return new Map([...settings].map(([name, setting]) => [name.slice(LIMIT_SETTING.length) as LimitName, setting]))
}

/** What can be applied; a version before or after this one may have known other limits, or other bounds of them. */
function readStored(stored: Stored): { readonly settings: LimitSettings; readonly problems: readonly string[] } {
  const settings = new Map<LimitName, number>()
  const problems: string[] = []
  for (const [name, { value }] of stored) {
    const facts = findLimit(name)
    const problem = facts === undefined ? 'there is no such limit' : limitProblem(facts.name, Number(value))
    if (problem === null) settings.set(name, Number(value))
    else problems.push(`The limit ${name} that was set in the console holds no more: ${problem}.`)
  }
  return { settings, problems }
}

interface Effect {
  readonly what: string
  readonly unit: LimitUnit
  readonly amount: number
}

/** Limits on buckets, of which a part may come at once. */
const RATES: ReadonlySet<LimitName> = new Set([
  'video_submits_per_minute',
  'images_per_minute',
  'public_per_minute',
  'failed_auth_per_minute',
])

/** All that follows from a limit; the same lines whatever the values are. */
function effectsOf({ name, description, unit }: LimitFacts, limits: LimitsConfig): readonly Effect[] {
  const amount = valueOfLimit(limits, name)
  const line = (what: string, value: number): Effect => ({ what, unit: 'count', amount: value })
  if (name === 'requests_per_minute') {
    const { accountRequestsPerMinute: ofAccount } = limitsOfAccount(NO_LIMITS_SET, limits)
    return [
      line('Requests of one key in a minute', amount),
      line('of which at once', burstOf(amount)),
      line('Requests of all keys of an account in a minute', ofAccount.most),
      line('Calls of one person in the console in a minute', amount * PAGE_CALLS),
      line('Preflight requests from one address in a minute', amount),
    ]
  }
  const what = description.replace(/\.$/, '')
  if (RATES.has(name)) return [line(`${what}, in a minute`, amount), line('of which at once', burstOf(amount))]
  return [{ what, unit, amount }]
}

function warningsOf(limits: LimitsConfig): readonly string[] {
  const warnings: string[] = []
  if (limits.bodyBytesInFlight < limits.chatBodyBytes * BODY_COPIES) {
    warnings.push(
      `The largest request that chat_body_bytes allows takes ${BODY_COPIES} times its bytes, which is more than ` +
        'body_bytes_in_flight: it is always refused with 503.',
    )
  }
  if (limits.uploadBytesInFlight < limits.imageFormBytes) {
    warnings.push(
      'The largest form that image_form_bytes allows is more than upload_bytes_in_flight: it is always refused with 503.',
    )
  }
  return warnings
}
