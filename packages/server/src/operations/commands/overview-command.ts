import { Command } from 'commander'
import { creditsJson, formatCredits, nanocreditsOf } from '@svc/contract'
import type { Overview, OverviewRow } from '../../money/billing/read-overview.ts'
import { AdminError } from './admin-error.ts'
import { parseTime } from './parse-options.ts'
import { renderTable } from './render-table.ts'
import { runCommand, type CommandDeps } from './run-command.ts'

interface SpanOptions {
  readonly from?: number
  readonly to?: number
}

const DAY_MS = 86_400_000
/** Days that are shown where none are named. */
const USUAL_DAYS = 7
/** Longest span: a year. Source: own choice, since each list is one pass over its records. */
const DAYS_MAX = 366

/** `overview`. */
export function overviewCommand(deps: CommandDeps): Command {
  return new Command('overview')
    .description('charges, costs, what is left, and write-offs: by day, upstream, model, account and error')
    .option(
      '--from <time>',
      `when requests began, as a date or time; ${USUAL_DAYS} days before the end if absent`,
      parseTime,
    )
    .option('--to <time>', 'the end, itself excluded; now if absent', parseTime)
    .action((options: SpanOptions, command: Command) =>
      runCommand(deps, command, async (context) => {
        const to = options.to ?? context.now() + 1
        const from = options.from ?? to - USUAL_DAYS * DAY_MS
        if (from >= to) throw new AdminError('The start must be before the end.')
        if (to - from > DAYS_MAX * DAY_MS) throw new AdminError(`At most ${DAYS_MAX} days are shown at a time.`)
        const overview = await context.readOverview({ from, to })
        return { text: textOf(overview), json: { ...jsonSpan(from, to), ...jsonOf(overview) } }
      }),
    )
}

const jsonSpan = (from: number, to: number) => ({ from: new Date(from).toISOString(), to: new Date(to).toISOString() })

function textOf({ total, ...lists }: Overview): string {
  const tables = Object.entries(lists).flatMap(([name, rows]) => (rows.length === 0 ? [] : [tableOf(name, rows)]))
  return [tableOf('all', [total]), ...tables].join('\n\n')
}

function tableOf(title: string, rows: readonly OverviewRow[]): string {
  return renderTable([
    [title, 'requests', 'failed', 'charged', 'cost', 'left', 'written off'],
    ...rows.map(({ name, requests, failed, charge, cost, writeOff }) => [
      ...[name, String(requests), String(failed), formatCredits(charge), formatCredits(cost)],
      ...[formatCredits(charge - cost), formatCredits(writeOff)],
    ]),
  ])
}

const credits = (amount: bigint) => creditsJson(nanocreditsOf(amount))

function jsonOf({ total, ...lists }: Overview): object {
  const row = ({ name, requests, failed, charge, cost, writeOff }: OverviewRow) => ({
    ...{ name, requests, failed, credits_charged: credits(charge), credits_cost: credits(cost) },
    ...{ credits_left: credits(charge - cost), credits_written_off: credits(writeOff) },
  })
  return {
    total: row(total),
    ...Object.fromEntries(Object.entries(lists).map(([name, rows]) => [name, rows.map(row)])),
  }
}
