import { Command } from 'commander'
import { creditsJson, formatCredits, nanocreditsOf } from '@svc/contract'
import type { GoLiveResult } from '../actions/go-live.ts'
import { AdminError } from './admin-error.ts'
import { refuseOptions, runCommand, type CommandDeps, type CommandOutput } from './run-command.ts'

const QUESTION = `This ends, for good, what the sandbox has given in this store: the demo account and its user, every key, every
session, every operator, all test credits, and deposits on the sandbox's chains. Accounts, teams and people stay.
Type "go live" to go on: `

/** `go-live`: makes a store of test money one of live money. */
export function goLiveCommand(deps: CommandDeps): Command {
  return new Command('go-live')
    .description('end test money, keys, sessions and operators of a sandbox, so that real upstreams may use its store')
    .option('--yes', 'do not ask')
    .action(async ({ yes }: { readonly yes?: boolean }, command: Command) => {
      if (yes !== true) {
        if (deps.ask === null) refuseOptions(command, 'there is no terminal to confirm at; give --yes.')
        if ((await deps.ask(QUESTION)).trim() !== 'go live') throw new AdminError('Nothing was changed.')
      }
      return runCommand(deps, command, async (context) => output(await context.goLive()))
    })
}

function output(result: GoLiveResult): CommandOutput {
  if (result.kind === 'not_a_test_store') {
    throw new AdminError('This store holds no test money: no sandbox has served it. Nothing was changed.')
  }
  if (result.kind === 'is_served') {
    throw new AdminError('A gateway is running on this store: stop it first. Nothing was changed.')
  }
  if (result.kind === 'work_is_open') {
    throw new AdminError(`${openText(result.holds, result.jobs)} Nothing was changed.`)
  }
  const { accounts, credits, keys } = result
  const taken = nanocreditsOf(credits)
  return {
    text:
      `The store is live. Ended: ${formatCredits(taken)} test credits of ${accounts} accounts, ${keys} keys, and all ` +
      'sessions and operators. The next start prints a link for its first operator.',
    json: { kind: 'live', accounts, credits: creditsJson(taken), keys },
  }
}

function openText(holds: number, jobs: number): string {
  return `${holds} holds and ${jobs} video jobs are open: start the sandbox once more, and stop it when its work is done.`
}
