import type { Command } from 'commander'
import { formatCredits } from '@svc/contract'
import { type Erasure, whyNotErased } from '../actions/erase-account.ts'
import { AdminError } from './admin-error.ts'
import { parseReason } from './parse-options.ts'
import { type CommandDeps, runCommand } from './run-command.ts'
import { unknownAccount } from './unknown-account.ts'

interface EraseOptions {
  readonly reason: string
  readonly forfeitCredits?: boolean
}

/** Adds `account erase`. */
export function addAccountErasure(account: Command, deps: CommandDeps): void {
  account
    .command('erase')
    .description('remove for good what names people in an account; its money rows stay')
    .argument('<account>', 'its id')
    .requiredOption('--reason <words>', 'why; kept for good, so name no person', parseReason)
    .option('--forfeit-credits', 'take off the credits that are left')
    .action((accountId: string, { reason, forfeitCredits = false }: EraseOptions, command: Command) =>
      eraseAccount(deps, command, { accountId, reason, forfeitsCredits: forfeitCredits }),
    )
}

function eraseAccount(deps: CommandDeps, command: Command, erasure: Erasure): Promise<void> {
  const { accountId } = erasure
  return runCommand(deps, command, async (context) => {
    const result = await context.eraseAccount(erasure)
    if (result.kind === 'unknown_account') throw unknownAccount(accountId)
    if (result.kind === 'has_credits') {
      throw new AdminError(`${whyNotErased(result)} Pay them back and adjust the balance, or give --forfeit-credits.`)
    }
    if (result.kind === 'in_use') {
      const advice = `"account close ${accountId}" lets nothing new begin; "deposits reject" ends a deposit under review.`
      throw new AdminError(`${whyNotErased(result)} ${advice}`)
    }
    // No member acts here whose role could be lost.
    if (result.kind === 'role_lost') throw new AdminError(`Account ${accountId} has changed meanwhile. Try again.`)
    const { kind, forfeited } = result
    const taken = forfeited > 0n ? ` ${formatCredits(forfeited)} credits were taken off.` : ''
    return {
      text: `Account ${accountId} ${kind === 'erased' ? 'is now' : 'was already'} erased.${taken}`,
      json: { account_id: accountId, status: 'erased', credits_forfeited: formatCredits(forfeited) },
    }
  })
}
