import { Command, Option } from 'commander'
import { budgetPeriods, creditsJson, formatCredits, type Nanocredits, REQUESTS_PER_MINUTE_MAX } from '@svc/contract'
import { closestName } from '../../config/closest-name.ts'
import type { Right } from '../../access/keys/caller.ts'
import type { CreatedKey } from '../../access/keys/create-key.ts'
import { DEFAULT_RIGHTS } from '../../access/keys/key-permissions.ts'
import type { KeyBudgetSummary, KeySummary } from '../../access/keys/list-keys.ts'
import type { BudgetPeriod } from '../../platform/runtime/budget-period.ts'
import { unknownAccount } from './unknown-account.ts'
import type { AdminContext } from './admin-context.ts'
import { AdminError } from './admin-error.ts'
import { addKeyLimit } from './limit-commands.ts'
import {
  type NamedLimit,
  parseCount,
  parseLimit,
  parseList,
  parseOverlap,
  parsePositiveAmount,
  parseRightList,
  parseTime,
} from './parse-options.ts'
import { renderTable } from './render-table.ts'
import { refuseOptions, runCommand, type CommandDeps, type CommandOutput } from './run-command.ts'

interface CreateOptions {
  readonly account: string
  readonly team?: string
  readonly name: string
  readonly budget?: Nanocredits
  readonly period: BudgetPeriod
  readonly expires?: number
  readonly models?: readonly string[]
  readonly requestsPerMinute?: NamedLimit
  readonly rights?: readonly Right[]
}

interface ListOptions {
  readonly account?: string
  readonly limit: number
  readonly after?: string
}

interface RotateOptions {
  readonly overlap: number
}

const HOUR_MS = 3_600_000
const DEFAULT_OVERLAP_HOURS = 24

/** Models of a key that the list names. */
const LISTED_MODELS = 3

/** `key create`, `list`, `limit`, `rotate` and `revoke`. */
export function keyCommands(deps: CommandDeps): Command {
  const key = new Command('key').description('API keys')
  key
    .command('create')
    .description('make a key; its secret is shown this once')
    .requiredOption('--account <account>', 'the account that pays')
    .option('--team <team>', 'the team that it belongs to; the account’s first one by default')
    .requiredOption('--name <name>', 'what people call it')
    .option('--budget <credits>', 'what it may spend at most', parsePositiveAmount)
    .addOption(new Option('--period <period>', 'when the budget starts anew').choices(budgetPeriods).default('none'))
    .option('--expires <time>', 'when it ends, such as 2030-12-31', parseTime)
    .option('--models <ids>', 'the only models that it may use, separated by commas', parseList)
    .option(
      '--requests-per-minute <count>',
      'how often it may ask; "team" for what its team allows, which is the default',
      parseLimit(REQUESTS_PER_MINUTE_MAX, 'team'),
    )
    .option('--rights <rights>', 'inference, deposits, keys; the first two by default', parseRightList)
    .action((options: CreateOptions, command: Command) => {
      const { budget, period, expires } = options
      if (budget === undefined && period !== 'none') refuseOptions(command, '--period needs --budget.')
      if (expires !== undefined && expires <= deps.clock.now())
        refuseOptions(command, '--expires must lie in the future.')
      return runCommand(deps, command, (context) => createKey(context, options))
    })
  key
    .command('list')
    .description('list keys, newest first')
    .option('--account <account>', 'of this account only')
    .option('--limit <count>', 'how many', parseCount, 50)
    .option('--after <key>', 'continue after this one')
    .action(({ account, ...page }: ListOptions, command: Command) =>
      runCommand(deps, command, async (context) =>
        listOutput(await context.listKeys({ ...page, ...(account === undefined ? {} : { accountId: account }) })),
      ),
    )
  addKeyLimit(key, deps)
  key
    .command('rotate')
    .description('make a successor with a new secret, shown this once')
    .argument('<key>', 'its id, not its secret')
    .option(
      '--overlap <hours>',
      'how long the old key still works; 0 ends it at once',
      parseOverlap,
      DEFAULT_OVERLAP_HOURS,
    )
    .action((keyId: string, { overlap }: RotateOptions, command: Command) =>
      runCommand(deps, command, (context) => rotateKey(context, keyId, overlap)),
    )
  key
    .command('revoke')
    .description('end a key for good, with what was mirrored through it and the requests that run on them')
    .argument('<key>', 'its id, not its secret')
    .action((keyId: string, _options: unknown, command: Command) =>
      runCommand(deps, command, (context) => revokeKey(context, keyId)),
    )
  return key
}

async function createKey(context: AdminContext, options: CreateOptions): Promise<CommandOutput> {
  const account = await context.findAccount(options.account)
  if (account === null) throw unknownAccount(options.account)
  const team = options.team === undefined ? account.teams[0] : account.teams.find((one) => one.teamId === options.team)
  if (team === undefined)
    throw new AdminError(`Account ${account.accountId} has no such team. "account show" lists them.`)
  const created = await context.createKey({
    accountId: account.accountId,
    teamId: team.teamId,
    name: options.name,
    budget: options.budget === undefined ? null : { limit: options.budget, period: options.period },
    expiresAt: options.expires ?? null,
    models: options.models ?? null,
    requestsPerMinute: options.requestsPerMinute?.most ?? null,
    ...(options.rights === undefined ? {} : { rights: options.rights }),
  })
  return createdOutput(created, options, await unknownModelWarnings(context, options.models ?? []))
}

function createdOutput(created: CreatedKey, options: CreateOptions, warnings: readonly string[]): CommandOutput {
  const { budget = null, period, expires = null, models = null, rights = DEFAULT_RIGHTS } = options
  const requestsPerMinute = options.requestsPerMinute?.most ?? null
  const facts = renderTable([
    ['Budget', budgetText({ limit: budget, period })],
    ['Expires', expiryText(expires)],
    ['Models', models === null ? 'all' : models.join(', ')],
    ['Limit', limitText(requestsPerMinute)],
    ['Rights', rights.join(', ')],
  ])
  const sentence = `Key ${created.keyId} was made. Keep the line above: it is not shown again.`
  return {
    text: `${created.rawKey}\n\n${sentence}\n\n${facts}`,
    json: {
      key_id: created.keyId,
      key: created.rawKey,
      display: created.display,
      rights,
      models,
      requests_per_minute: requestsPerMinute,
      budget_credits: budget === null ? null : creditsJson(budget),
      budget_reset: period === 'none' ? null : period,
      expires: timeOf(expires),
    },
    warnings,
  }
}

/** The list of the running gateway is not asked, so an id that is unknown here may exist all the same. */
async function unknownModelWarnings(context: AdminContext, models: readonly string[]): Promise<readonly string[]> {
  if (models.length === 0) return []
  const known = await context.listKnownModels()
  const unknown = models.filter((model) => !known.includes(model))
  return unknown.map((model) => {
    const closest = closestName(model, known)
    const question = closest === null ? '' : ` Did you mean ${closest}?`
    return `No model "${model}" is known here.${question} The key was made with it all the same.`
  })
}

async function rotateKey(context: AdminContext, keyId: string, overlapHours: number): Promise<CommandOutput> {
  const made = await context.rotateKey(keyId, overlapHours * HOUR_MS)
  const end = overlapHours === 0 ? 'has ended' : `works for ${overlapHours} more hours at most`
  const sentence = `Key ${made.keyId} was made; ${keyId} ${end}. Keep the line above: it is not shown again.`
  return {
    text: `${made.rawKey}\n\n${sentence}`,
    json: { key_id: made.keyId, key: made.rawKey, display: made.display, rotated: keyId, overlap_hours: overlapHours },
  }
}

async function revokeKey(context: AdminContext, keyId: string): Promise<CommandOutput> {
  const { status, mirrors } = await context.revokeKey(keyId)
  if (status === 'unknown_key') throw new AdminError('There is no key with this id. "key list" shows all.')
  const text = status === 'revoked' ? `Key ${keyId} is revoked.` : `Key ${keyId} was revoked before.`
  const json = { key_id: keyId, status: 'revoked', mirrored_revoked: mirrors }
  if (mirrors === 0) return { text, json }
  const more = mirrors === 1 ? '1 key that was mirrored through it was' : `${mirrors} keys that were mirrored were`
  return { text: `${text} ${more} revoked.`, json }
}

function listOutput(keys: readonly KeySummary[]): CommandOutput {
  const head = [
    'ID',
    'NAME',
    'KEY',
    'STATUS',
    'SPENT',
    'BUDGET',
    'LIMIT',
    'RIGHTS',
    'MODELS',
    'EXPIRES',
    'LAST USED',
    'KIND',
  ]
  const rows = keys.map((key) => [
    key.keyId,
    key.name,
    key.display,
    key.status,
    formatCredits(key.budget.spent),
    budgetText(key.budget),
    limitText(key.requestsPerMinute.own),
    key.rights.join(','),
    key.models === null ? 'all' : shortList(key.models),
    expiryText(key.expiresAt),
    timeOf(key.lastUsedAt) ?? 'never',
    key.rotateBy === null ? key.kind : `${key.kind}, rotate by ${timeOf(key.rotateBy)}`,
  ])
  return { text: keys.length === 0 ? 'No keys.' : renderTable([head, ...rows]), json: keys.map(keyJson) }
}

function budgetText({ limit, period }: Pick<KeyBudgetSummary, 'limit' | 'period'>): string {
  if (limit === null) return 'none'
  return formatCredits(limit) + (period === 'none' ? '' : ` ${period}`)
}

function limitText(perMinute: number | null): string {
  return perMinute === null ? 'as the team' : `${perMinute} a minute`
}

/** The first few of a list, and how many more there are: a table's line stays a line. */
function shortList(models: readonly string[]): string {
  const more = models.length - LISTED_MODELS
  return models.slice(0, LISTED_MODELS).join(',') + (more > 0 ? ` and ${more} more` : '')
}

function expiryText(expiresAt: number | null): string {
  return timeOf(expiresAt) ?? 'never'
}

function keyJson(key: KeySummary): Record<string, unknown> {
  const { limit, period, spent, resetsAt } = key.budget
  return {
    key_id: key.keyId,
    name: key.name,
    display: key.display,
    account_id: key.accountId,
    team_id: key.teamId,
    status: key.status,
    rights: key.rights,
    models: key.models,
    requests_per_minute: key.requestsPerMinute.own,
    requests_per_minute_in_force: key.requestsPerMinute.inForce,
    budget_credits: limit === null ? null : creditsJson(limit),
    budget_used: creditsJson(spent),
    budget_reset: period === 'none' ? null : period,
    budget_resets_at: timeOf(resetsAt),
    created: timeOf(key.createdAt),
    expires: timeOf(key.expiresAt),
    revoked: timeOf(key.revokedAt),
    last_used: timeOf(key.lastUsedAt),
    kind: key.kind,
    seen_by: key.readers.map(({ userId, name, seenAt }) => ({ user_id: userId, name, at: timeOf(seenAt) })),
    rotate_by: timeOf(key.rotateBy),
    mirrored_by: key.mirroredBy,
  }
}

function timeOf(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString()
}
