import { type FileHandle, open, rm } from 'node:fs/promises'
import { Command, Option } from 'commander'
import { budgetPeriods, creditsJson, formatCredits, type Nanocredits } from '@svc/contract'
import type { AccountDetails, AccountSummary } from '../../access/accounts/list-accounts.ts'
import type { AccountStatus } from '../../access/accounts/set-account-status.ts'
import type { AccountLimits } from '../../access/keys/request-limits.ts'
import type { AccountAction } from '../actions/set-account-state.ts'
import type { BudgetPeriod } from '../../platform/runtime/budget-period.ts'
import { AdminError } from './admin-error.ts'
import { addAccountErasure } from './erase-command.ts'
import { addAccountLimits, limitRows, limitsJson } from './limit-commands.ts'
import { parseCount, parsePath, parsePositiveAmount, parseReason } from './parse-options.ts'
import { renderTable } from './render-table.ts'
import { refuseOptions, runCommand, type CommandDeps, type CommandOutput } from './run-command.ts'
import { unknownAccount } from './unknown-account.ts'

interface CreateOptions {
  readonly name: string
  readonly teamCap?: Nanocredits
  readonly period: BudgetPeriod
}

interface ListOptions {
  readonly limit: number
  readonly after?: string
}

/** `account create`, `list`, `show`, `limits`, `suspend`, `resume`, `export`, `close` and `erase`. */
export function accountCommands(deps: CommandDeps): Command {
  const account = new Command('account').description('accounts, which hold credits')
  account
    .command('create')
    .description('make an account with a balance of 0 and a team')
    .requiredOption('--name <name>', 'what people call it')
    .option('--team-cap <credits>', 'what its team may spend at most', parsePositiveAmount)
    .addOption(new Option('--period <period>', 'when the cap starts anew').choices(budgetPeriods).default('none'))
    .action((options: CreateOptions, command: Command) => createAccount(deps, command, options))
  account
    .command('list')
    .description('list accounts, newest first')
    .option('--limit <count>', 'how many', parseCount, 50)
    .option('--after <account>', 'continue after this one')
    .action((options: ListOptions, command: Command) =>
      runCommand(deps, command, async (context) => listOutput(await context.listAccounts(options))),
    )
  account
    .command('show')
    .description('show an account, its teams and its limits')
    .argument('<account>', 'its id')
    .action((accountId: string, _options: object, command: Command) => showAccount(deps, command, accountId))
  addAccountLimits(account, deps)
  statusCommand(deps, account, 'suspend', 'let an account start no more requests; its credits stay')
  statusCommand(deps, account, 'resume', 'let a suspended account work again')
  account
    .command('export')
    .description('write all that is stored about an account into a new file, as one JSON document')
    .argument('<account>', 'its id')
    .requiredOption('--to <file>', 'a file that is not there yet', parsePath)
    .requiredOption('--reason <words>', 'why; kept for good', parseReason)
    .action((accountId: string, { to, reason }: { readonly to: string; readonly reason: string }, command: Command) =>
      exportAccount(deps, command, { accountId, reason, to }),
    )
  account
    .command('close')
    .description('close an account for good: its keys end, its credits and records stay')
    .argument('<account>', 'its id')
    .requiredOption('--reason <words>', 'why; kept for good', parseReason)
    .action((accountId: string, { reason }: { readonly reason: string }, command: Command) =>
      closeAccount(deps, command, { accountId, reason }),
    )
  addAccountErasure(account, deps)
  return account
}

function statusCommand(deps: CommandDeps, account: Command, name: 'suspend' | 'resume', description: string): void {
  const status = name === 'suspend' ? 'suspended' : 'active'
  account
    .command(name)
    .description(description)
    .argument('<account>', 'its id')
    .option('--reason <words>', 'why; kept for good', parseReason)
    .action((accountId: string, { reason }: { readonly reason?: string }, command: Command) =>
      setStatus(deps, command, { accountId, status, reason: reason ?? null }),
    )
}

function createAccount(deps: CommandDeps, command: Command, options: CreateOptions): Promise<void> {
  if (options.teamCap === undefined && options.period !== 'none') refuseOptions(command, '--period needs --team-cap.')
  return runCommand(deps, command, async (context) => {
    const teamCap = options.teamCap === undefined ? null : { limit: options.teamCap, period: options.period }
    const created = await context.createAccount({ name: options.name, teamCap })
    if (created === null) throw new AdminError('The id of the new account is taken. Try again.')
    return {
      text: `Account ${created.accountId} was made, with team ${created.teamId}.`,
      json: { account_id: created.accountId, team_id: created.teamId },
    }
  })
}

function showAccount(deps: CommandDeps, command: Command, accountId: string): Promise<void> {
  return runCommand(deps, command, async (context) => {
    const account = await context.findAccount(accountId)
    if (account === null) throw unknownAccount(accountId)
    return detailsOutput(account, await context.readAccountLimits(accountId))
  })
}

function setStatus(
  deps: CommandDeps,
  command: Command,
  input: AccountAction & { readonly status: AccountStatus },
): Promise<void> {
  const { accountId, status } = input
  return runCommand(deps, command, async (context) => {
    const result = await context.setAccountStatus(input)
    if (result === 'unknown_account') throw unknownAccount(accountId)
    if (result === 'closed') throw new AdminError(`Account ${accountId} was closed for good.`)
    const text = `Account ${accountId} ${result === 'changed' ? 'is now' : 'was already'} ${status}.`
    return { text, json: { account_id: accountId, status } }
  })
}

/** The file is its owner's alone: it names people. */
const PRIVATE = 0o600

/** @returns how many bytes there were. @throws Node's errors where not all of them could be written. */
async function writeAll(file: FileHandle, pieces: AsyncIterable<string>): Promise<number> {
  let bytes = 0
  for await (const piece of pieces) {
    // Not `write`, which may write a part alone.
    await file.writeFile(piece)
    bytes += Buffer.byteLength(piece)
  }
  return bytes
}

function exportAccount(
  deps: CommandDeps,
  command: Command,
  { accountId, reason, to }: { readonly accountId: string; readonly reason: string; readonly to: string },
): Promise<void> {
  return runCommand(deps, command, async (context) => {
    const file = await open(to, 'wx', PRIVATE).catch((error: unknown) => {
      throw new AdminError(`${to} cannot be made: ${error instanceof Error ? error.message : String(error)}`)
    })
    try {
      const pieces = await context.exportAccount({ accountId, reason })
      if (pieces === null) throw unknownAccount(accountId)
      const bytes = await writeAll(file, pieces)
      return { text: `Wrote ${bytes} bytes to ${to}.`, json: { account_id: accountId, file: to, bytes } }
    } catch (error) {
      // A part of an export is none, and its name is free again.
      await rm(to, { force: true })
      throw error
    } finally {
      await file.close()
    }
  })
}

function closeAccount(deps: CommandDeps, command: Command, input: AccountAction): Promise<void> {
  const { accountId } = input
  return runCommand(deps, command, async (context) => {
    const result = await context.closeAccount(input)
    if (result === 'unknown_account') throw unknownAccount(accountId)
    const text = `Account ${accountId} ${result === 'closed' ? 'is now' : 'was already'} closed. Its keys have ended.`
    return { text, json: { account_id: accountId, status: 'closed' } }
  })
}

function stateOf({ status, closedAt }: AccountSummary): AccountStatus | 'closed' {
  return closedAt === null ? status : 'closed'
}

function listOutput(accounts: readonly AccountSummary[]): CommandOutput {
  const rows = accounts.map((account) => [
    account.accountId,
    account.name,
    stateOf(account),
    formatCredits(account.posted),
    formatCredits(account.held),
  ])
  return {
    text: accounts.length === 0 ? 'No accounts.' : renderTable([['ID', 'NAME', 'STATUS', 'CREDITS', 'HELD'], ...rows]),
    json: accounts.map(accountJson),
  }
}

function detailsOutput(account: AccountDetails, limits: AccountLimits): CommandOutput {
  const teams = account.teams.map((team) => `${team.teamId} ${team.name}${team.budgetId === null ? '' : ' (capped)'}`)
  const rows = [
    ['Account', account.accountId],
    ['Name', account.name],
    ['Status', stateOf(account)],
    ['Credits', formatCredits(account.posted)],
    ['Held', formatCredits(account.held)],
    ['Made', new Date(account.createdAt).toISOString()],
    ...teams.map((team) => ['Team', team]),
    ...limitRows(limits),
  ]
  return {
    text: renderTable(rows),
    json: {
      ...accountJson(account),
      teams: account.teams.map((team) => ({ team_id: team.teamId, name: team.name })),
      limits: limitsJson(limits),
    },
  }
}

function accountJson(account: AccountSummary): Record<string, unknown> {
  return {
    account_id: account.accountId,
    name: account.name,
    status: stateOf(account),
    credits: creditsJson(account.posted),
    credits_reserved: creditsJson(account.held),
    created: new Date(account.createdAt).toISOString(),
  }
}
