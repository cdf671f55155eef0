import { Command } from 'commander'
import type { Migrated } from './admin-context.ts'
import { printOutput, type CommandDeps, type CommandOutput } from './run-command.ts'

/** `migrate`: the schema before the gateways, for those who start several at once. */
export function migrateCommand(deps: CommandDeps): Command {
  return new Command('migrate')
    .description('bring the schema of the store up to date, as a start of the gateway does')
    .option('--dry-run', 'say what would be applied, and apply nothing')
    .action(async ({ dryRun }: { readonly dryRun?: boolean }, command: Command) => {
      const isDryRun = dryRun === true
      printOutput(deps, command, output(await deps.migrate(isDryRun), isDryRun))
    })
}

function output({ store, migrations }: Migrated, isDryRun: boolean): CommandOutput {
  return {
    text: `Store: ${store}\n${summary(migrations, isDryRun)}`,
    json: { store, [isDryRun ? 'pending' : 'applied']: migrations },
  }
}

function summary(migrations: readonly string[], isDryRun: boolean): string {
  if (migrations.length === 0) return 'The schema is up to date.'
  const count = migrations.length === 1 ? '1 migration' : `${migrations.length} migrations`
  const list = migrations.map((name) => `\n  ${name}`).join('')
  return `${isDryRun ? `${count} would be applied:` : `Applied ${count}:`}${list}`
}
