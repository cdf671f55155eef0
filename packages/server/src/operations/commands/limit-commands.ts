import type { Command } from 'commander'
import { ACCOUNT_REQUESTS_PER_MINUTE_MAX, REQUESTS_PER_MINUTE_MAX, STREAMS_AT_ONCE_MAX } from '@svc/contract'
import type { AccountLimits, RequestLimit, SetLimits } from '../../access/keys/request-limits.ts'
import type { LimitsAction } from '../actions/change-account-limits.ts'
import { unknownAccount } from './unknown-account.ts'
import { AdminError } from './admin-error.ts'
import { type NamedLimit, parseLimit, parseReason } from './parse-options.ts'
import { renderTable } from './render-table.ts'
import { refuseOptions, runCommand, type CommandDeps, type CommandOutput } from './run-command.ts'

/** Takes an account's limit away. */
const DEFAULT = 'default'
/** Takes a key's limit away. */
const TEAM = 'team'

type LimitOptions = Partial<Record<keyof SetLimits, NamedLimit>> & { readonly reason?: string }

interface KeyLimitOptions {
  readonly requestsPerMinute: NamedLimit
}

/** Adds `account limits`, which sets what is named and shows what holds. */
export function addAccountLimits(account: Command, deps: CommandDeps): void {
  account
    .command('limits')
    .description('show how often the keys of an account may ask, or set it')
    .argument('<account>', 'its id')
    .option(
      '--requests-per-minute <count>',
      `of each of its keys; "${DEFAULT}" for the gateway’s`,
      parseLimit(REQUESTS_PER_MINUTE_MAX, DEFAULT),
    )
    .option(
      '--account-requests-per-minute <count>',
      `of all its keys together; "${DEFAULT}" for ten times that of a key`,
      parseLimit(ACCOUNT_REQUESTS_PER_MINUTE_MAX, DEFAULT),
    )
    .option(
      '--streams-at-once <count>',
      `of each of its keys; "${DEFAULT}" for the gateway’s`,
      parseLimit(STREAMS_AT_ONCE_MAX, DEFAULT),
    )
    .option('--reason <words>', 'why; kept for good', parseReason)
    .action((accountId: string, { reason, ...named }: LimitOptions, command: Command) => {
      const changes = Object.fromEntries(Object.entries(named).map(([name, { most }]) => [name, most]))
      const changesNothing = Object.keys(changes).length === 0
      if (changesNothing && reason !== undefined) refuseOptions(command, '--reason needs a limit to set.')
      return changesNothing
        ? showLimits(deps, command, accountId)
        : setLimits(deps, command, { accountId, changes, reason: reason ?? null })
    })
}

/** Adds `key limit`. */
export function addKeyLimit(key: Command, deps: CommandDeps): void {
  key
    .command('limit')
    .description('set how often a key may ask')
    .argument('<key>', 'its id, not its secret')
    .requiredOption(
      '--requests-per-minute <count>',
      `at most what the keys of its account may; "${TEAM}" for that`,
      parseLimit(REQUESTS_PER_MINUTE_MAX, TEAM),
    )
    .action((keyId: string, { requestsPerMinute: { most } }: KeyLimitOptions, command: Command) =>
      runCommand(deps, command, async (context) => {
        if (!(await context.limitKey(keyId, most))) {
          throw new AdminError('There is no key with this id. "key list" shows all.')
        }
        const limit = most === null ? 'what its team allows' : `${most} requests a minute`
        return {
          text: `Key ${keyId} may have ${limit}.`,
          json: { key_id: keyId, requests_per_minute: most },
        }
      }),
    )
}

function showLimits(deps: CommandDeps, command: Command, accountId: string): Promise<void> {
  return runCommand(deps, command, async (context) => {
    if ((await context.findAccount(accountId)) === null) throw unknownAccount(accountId)
    return limitsOutput(accountId, await context.readAccountLimits(accountId))
  })
}

function setLimits(deps: CommandDeps, command: Command, input: LimitsAction): Promise<void> {
  const { accountId } = input
  return runCommand(deps, command, async (context) => {
    if ((await context.changeAccountLimits(input)) === 'unknown_account') throw unknownAccount(accountId)
    return limitsOutput(accountId, await context.readAccountLimits(accountId))
  })
}

function limitsOutput(accountId: string, limits: AccountLimits): CommandOutput {
  return { text: renderTable(limitRows(limits)), json: { account_id: accountId, ...limitsJson(limits) } }
}

/** What holds, in words: a row for each limit. */
export function limitRows({ requestsPerMinute, accountRequestsPerMinute, streamsAtOnce }: AccountLimits): string[][] {
  return [
    ['Requests a minute of each key', limitText(requestsPerMinute)],
    ['Requests a minute of all keys', limitText(accountRequestsPerMinute)],
    ['Streams at once of each key', limitText(streamsAtOnce)],
  ]
}

/** The same for programs. */
export function limitsJson(limits: AccountLimits): Record<string, unknown> {
  return {
    requests_per_minute: limitJson(limits.requestsPerMinute),
    account_requests_per_minute: limitJson(limits.accountRequestsPerMinute),
    streams_at_once: limitJson(limits.streamsAtOnce),
  }
}

function limitText({ most, setFor }: RequestLimit): string {
  return setFor === 'gateway' ? `${most} (default)` : String(most)
}

function limitJson({ most, setFor }: RequestLimit): Record<string, unknown> {
  return { most, set_for: setFor }
}
