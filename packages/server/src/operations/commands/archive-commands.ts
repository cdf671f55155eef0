import { Command } from 'commander'
import { formatCredits, nanocreditsOf } from '@svc/contract'
import type { ArchiveRequest } from '../../money/archive/archive-requests.ts'
import type { AdminContext } from './admin-context.ts'
import { AdminError } from './admin-error.ts'
import { parsePath, parseTime } from './parse-options.ts'
import { renderTable } from './render-table.ts'
import { runCommand, type CommandDeps, type CommandOutput } from './run-command.ts'

interface ArchiveOptions {
  readonly before: number
  readonly to: string
  readonly dryRun?: boolean
}

/** `archive requests`, `list` and `show`. */
export function archiveCommands(deps: CommandDeps): Command {
  const archive = new Command('archive').description('records of old requests: from the database into files')
  archive
    .command('requests')
    .description('move the records of requests that began and ended before a time; transfers stay')
    .requiredOption('--before <time>', 'a date or time, at least 35 days ago', parseTime)
    .requiredOption('--to <folder>', 'the folder of the archive, the same each time', parsePath)
    .option('--dry-run', 'count them, and change nothing')
    .action(({ before, to, dryRun }: ArchiveOptions, command: Command) =>
      runCommand(deps, command, (context) => move(context, { folder: to, before, isDryRun: dryRun === true })),
    )
  archive
    .command('list')
    .description('the files that there are, with their checksums')
    .action((_options: object, command: Command) => runCommand(deps, command, list))
  archive
    .command('show')
    .description('an archived request: its record and its hold')
    .argument('<request>', 'its id, as in x-request-id')
    .requiredOption('--from <folder>', 'the folder of the archive', parsePath)
    .action((requestId: string, { from }: { readonly from: string }, command: Command) =>
      runCommand(deps, command, (context) => show(context, requestId.toLowerCase(), from)),
    )
  return archive
}

async function move(context: AdminContext, request: ArchiveRequest): Promise<CommandOutput> {
  const { files, requests, bytes } = await context.archiveRequests(request)
  const moved = `${requests} requests in ${files} files`
  return {
    text: request.isDryRun
      ? `${moved} would be archived.`
      : `Archived ${moved} of ${bytes} bytes in ${request.folder}. Back it up as you do the database.`,
    json: { dry_run: request.isDryRun, folder: request.folder, files, requests, bytes },
  }
}

async function list(context: AdminContext): Promise<CommandOutput> {
  const files = await context.listArchive()
  const rows = files.map((file) => [file.name, String(file.requests), String(file.byte_length), file.sha256])
  return {
    text: files.length === 0 ? 'Nothing is archived.' : renderTable([['file', 'requests', 'bytes', 'sha256'], ...rows]),
    json: files.map(({ archived_at: at, ...file }) => ({ ...file, archived_at: new Date(at).toISOString() })),
  }
}

async function show(context: AdminContext, requestId: string, folder: string): Promise<CommandOutput> {
  const found = await context.findArchived(folder, requestId)
  if (found === null) throw new AdminError(`No file of the archive has the request ${requestId}.`)
  const json: unknown = JSON.parse(
    JSON.stringify(found, (_name, value: unknown) =>
      typeof value === 'bigint' ? formatCredits(nanocreditsOf(value)) : value,
    ),
  )
  return { text: renderTable(Object.entries((json as typeof found).record).map(cell)), json }
}

function cell([name, value]: [string, unknown]): readonly [string, string] {
  return [name, value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value)]
}
