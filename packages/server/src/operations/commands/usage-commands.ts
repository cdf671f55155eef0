import { Command } from 'commander'
import type { FoundCharge } from '../../money/billing/find-charge.ts'
import type { AdminContext } from './admin-context.ts'
import { AdminError } from './admin-error.ts'
import { renderTable } from './render-table.ts'
import { runCommand, type CommandDeps, type CommandOutput } from './run-command.ts'

/** `usage show`. */
export function usageCommands(deps: CommandDeps): Command {
  const usage = new Command('usage').description('requests of any account')
  usage
    .command('show')
    .description('what a request was charged and why, and what it cost you')
    .argument('<request>', 'its id, as in x-request-id')
    .action((requestId: string, _options: object, command: Command) =>
      runCommand(deps, command, (context) => show(context, requestId)),
    )
  return usage
}

async function show(context: AdminContext, requestId: string): Promise<CommandOutput> {
  const charge = await context.findCharge(requestId)
  if (charge === null) throw new AdminError(`There is no request ${requestId}.`)
  return { text: renderCharge(charge), json: charge }
}

/** Every field that says something, one a line. */
function renderCharge({ operator, ...record }: FoundCharge): string {
  const told = Object.entries({ ...record, ...operator }).filter(([, value]) => value !== null)
  return renderTable(
    told.map(([name, value]) => [name, typeof value === 'object' ? JSON.stringify(value) : String(value)]),
  )
}
