import { Command, CommanderError } from 'commander'
import { ConfigError } from '../../config/config-error.ts'
import { configFileJsonSchema } from '../../config/config-file.ts'
import { DatabaseUnavailableError } from '../../platform/errors/database-unavailable-error.ts'
import { ServiceError } from '../../platform/errors/service-error.ts'
import { ArchiveFileError } from '../../money/archive/archive-file.ts'
import { renderAudit } from '../../money/ledger/audit.ts'
import { type Clock, systemClock } from '../../platform/runtime/clock.ts'
import { VERSION_TEXT } from '../../platform/runtime/version.ts'
import { accountCommands } from './account-commands.ts'
import type { AdminContext } from './admin-context.ts'
import { AdminError } from './admin-error.ts'
import { archiveCommands } from './archive-commands.ts'
import { creditsCommands } from './credits-commands.ts'
import { depositCommands } from './deposit-commands.ts'
import { goLiveCommand } from './go-live-command.ts'
import { keyCommands } from './key-commands.ts'
import { logCommands } from './log-commands.ts'
import { mailCommands } from './mail-commands.ts'
import { migrateCommand } from './migrate-command.ts'
import { overviewCommand } from './overview-command.ts'
import { collectPaths, parsePath } from './parse-options.ts'
import { personCommands } from './person-commands.ts'
import { reconcileCommand } from './reconcile-command.ts'
import { releaseNotesCommand } from './release-notes-command.ts'
import { requestCommands } from './request-commands.ts'
import { runCommand, type CommandDeps } from './run-command.ts'

/** Exit codes: done; could not be done (or the audit found a breach); the command line is wrong. */
const FAILED = 1
const WRONG_USAGE = 2

export interface AdminDeps {
  readonly open: () => Promise<AdminContext>
  readonly migrate: CommandDeps['migrate']
  /** Takes text without its line end. */
  readonly print: (text: string) => void
  readonly printError: (text: string) => void
  /** Asks a person and waits for a line; absent or null where there is no terminal. */
  readonly ask?: CommandDeps['ask']
  /** The machine's own when absent. */
  readonly clock?: Clock
}

/**
 * Runs one command line.
 *
 * @param words the arguments after the program's name.
 * @returns the exit code.
 * @throws what is neither the operator's mistake nor a known failure.
 */
export async function runAdmin(deps: AdminDeps, words: readonly string[]): Promise<number> {
  let exitCode = 0
  const commandDeps: CommandDeps = {
    open: deps.open,
    migrate: deps.migrate,
    print: deps.print,
    printError: deps.printError,
    clock: deps.clock ?? systemClock,
    ask: deps.ask ?? null,
    exit: (code) => {
      exitCode = code
    },
  }
  try {
    await createProgram(commandDeps, deps).parseAsync([...words], { from: 'user' })
    return exitCode
  } catch (error) {
    if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : WRONG_USAGE
    const isExpected =
      error instanceof ArchiveFileError ||
      error instanceof AdminError ||
      error instanceof ServiceError ||
      error instanceof ConfigError
    if (!isExpected || error instanceof DatabaseUnavailableError) throw error
    deps.printError(`error: ${error.message}`)
    return FAILED
  }
}

/** All commands, put together. */
export function createProgram(deps: CommandDeps, output: Pick<AdminDeps, 'print' | 'printError'>): Command {
  const program = new Command('admin')
    .description('Operator commands. They work beside a running gateway and without one.')
    .version(VERSION_TEXT, '--version', 'print the version')
    .option('--json', 'print the answer as JSON')
  const money = [creditsCommands(deps), requestCommands(deps), depositCommands(deps), mailCommands(deps)]
  const store = [
    overviewCommand(deps),
    reconcileCommand(deps),
    archiveCommands(deps),
    auditCommand(deps),
    logCommands(deps),
    goLiveCommand(deps),
    migrateCommand(deps),
    releaseNotesCommand(deps),
  ]
  for (const command of [accountCommands(deps), personCommands(deps), keyCommands(deps), ...money, ...store]) {
    program.addCommand(command)
  }
  program
    .command('config-schema')
    .description('print the JSON schema of svc.config.json, for editors')
    .action(() => deps.print(JSON.stringify(configFileJsonSchema(), null, 2)))
  prepare(program, output)
  return program
}

/** Lets no command end the process or write past us, and knows `--json` after the command's name too. */
function prepare(command: Command, output: Pick<AdminDeps, 'print' | 'printError'>): void {
  command.exitOverride()
  command.configureOutput({
    writeOut: (text) => output.print(text.trimEnd()),
    writeErr: (text) => output.printError(text.trimEnd()),
  })
  if (command.parent !== null && command.commands.length === 0) command.option('--json', 'print the answer as JSON')
  for (const child of command.commands) prepare(child, output)
}

interface AuditOptions {
  readonly checkpoint?: readonly string[]
  readonly archive?: string
}

function auditCommand(deps: CommandDeps): Command {
  return new Command('audit')
    .description('check every invariant of the books; exits with 1 on a breach')
    .option('--checkpoint <file>', 'a kept checkpoint of the ledger log; can be given several times', collectPaths)
    .option('--archive <folder>', 'the folder of the archive: its files are checked, too', parsePath)
    .action(({ checkpoint = [], archive }: AuditOptions, command: Command) =>
      runCommand(deps, command, async (context) => {
        const report = await context.audit(checkpoint, archive ?? null)
        const { store } = context
        return {
          text: `Store: ${store}\n${renderAudit(report)}`,
          json: { store, ...report },
          exitCode: report.breaches === 0 ? 0 : FAILED,
        }
      }),
    )
}
