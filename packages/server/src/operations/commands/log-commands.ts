import { Command } from 'commander'
import { formatVerifierKey } from '@svc/contract/log/signed-note'
import type { Recovery, RecoveryRefusal } from '../../money/ledger-log/recover-log.ts'
import { AdminError } from './admin-error.ts'
import { collectPaths, parsePath } from './parse-options.ts'
import { runCommand, type CommandDeps, type CommandOutput } from './run-command.ts'

interface RecoveryOptions {
  readonly reason: string
  readonly keyFile?: string
}

interface BeginOptions extends RecoveryOptions {
  readonly checkpoint: readonly string[]
}

const REASON = 'why, on one line: every checkpoint and every receipt states it from then on'
const KEY_FILE = 'where the new key goes, if the gateway’s own file cannot be written here'

/** `log replace-key` and `begin-anew`: what to do once the key of the ledger log, or a part of the log, is lost. */
export function logCommands(deps: CommandDeps): Command {
  const log = new Command('log').description('the ledger log, once its key or a part of it is lost')
  log
    .command('replace-key')
    .description('make a key in place of one that is lost; those who check receipts have to take it over')
    .requiredOption('--reason <text>', REASON)
    .option('--key-file <file>', KEY_FILE, parsePath)
    .action(({ reason, keyFile }: RecoveryOptions, command: Command) =>
      runCommand(deps, command, async (context) =>
        output(await context.replaceLogKey({ reason, keyFile: keyFile ?? null })),
      ),
    )
  log
    .command('begin-anew')
    .description('go on as a new log with the leaves of this database, where it does not lead to what was published')
    .requiredOption('--reason <text>', REASON)
    .option('--key-file <file>', KEY_FILE, parsePath)
    .option('--checkpoint <file>', 'a checkpoint that was published; can be given several times', collectPaths, [])
    .action(({ reason, keyFile, checkpoint }: BeginOptions, command: Command) =>
      runCommand(deps, command, async (context) =>
        output(await context.beginNewLog({ reason, keyFile: keyFile ?? null, checkpoints: checkpoint })),
      ),
    )
  return log
}

const REFUSALS: Readonly<Record<RecoveryRefusal, string>> = {
  no_log: 'There is no ledger log yet: the first start of a gateway makes its key and begins it.',
  key_is_there:
    'The key of the ledger log is in its file. To change it, put a new line before it and restart; docs/operations.md says how.',
  in_order:
    'The ledger log leads to every checkpoint that is known here. Give one that it does not lead to with --checkpoint.',
  broken:
    'The tree of this database contradicts itself: no log can go on with it. `audit` names where; bring back a backup from before.',
  moved: 'The ledger log has grown meanwhile: stop the gateways first.',
  too_much_stated: 'The ledger log states as much as its checkpoints take.',
}

function output(recovery: Recovery): CommandOutput {
  if (recovery.kind !== 'done') throw new AdminError(`${REFUSALS[recovery.kind]} Nothing was changed.`)
  const { origin, size, statement } = recovery
  const key = formatVerifierKey(recovery.key)
  return {
    text:
      `From leaf ${size} on, ${origin} is signed by a new key:\n${key}\nEach checkpoint states: ${statement}\n` +
      'Back up the new file of the key, restart the gateways, and tell your customers the key by another way than the gateway.',
    json: { origin, size, key, statement },
  }
}
