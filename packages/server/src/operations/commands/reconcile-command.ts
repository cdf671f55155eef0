import { Command, InvalidArgumentError } from 'commander'
import { creditsJson, formatUsd, nanocreditsOf, usdJson } from '@svc/contract'
import { parseDay } from '../../money/reconciliation/day-span.ts'
import { type InvoiceColumn, invoiceColumns, parseUtcOffset } from '../../money/reconciliation/read-invoice.ts'
import { ReconciliationError, type EndedReconciliation } from '../../money/reconciliation/reconciliation-runs.ts'
import {
  countDifferences,
  type Difference,
  type DifferenceKind,
  type KindSum,
  type Side,
} from '../../money/reconciliation/report.ts'
import { AdminError } from './admin-error.ts'
import { renderTable } from './render-table.ts'
import { parsePath } from './parse-options.ts'
import { runCommand, type CommandDeps, type CommandOutput } from './run-command.ts'

interface ReconcileOptions {
  readonly upstream: string
  readonly day: string
  readonly file?: string
  readonly column?: ReadonlyMap<InvoiceColumn, string>
  readonly utcOffset?: number
  readonly archive?: string
}

const DIFFERS = 1

/** `reconcile`. */
export function reconcileCommand(deps: CommandDeps): Command {
  return new Command('reconcile')
    .description('reconcile a day with what an upstream has billed; exits with 1 where they differ')
    .requiredOption('--upstream <name>', 'as the configuration names it')
    .requiredOption('--day <date>', 'a UTC day that is over, such as 2026-03-31', parseDayOption)
    .option('--file <csv>', 'its invoice: a row for each generation; absent: the upstream is asked', parsePath)
    .option(
      '--column <name=header>',
      `which column is ${Object.keys(invoiceColumns).join(', ')}, where its header is another; several times`,
      parseColumn,
    )
    .option('--utc-offset <+hh:mm>', 'of times in the file that name no zone; UTC if absent', parseOffset)
    .option('--archive <folder>', 'the folder of the archive, for a day whose records are archived', parsePath)
    .action((options: ReconcileOptions, command: Command) =>
      runCommand(deps, command, async (context) => {
        const {
          upstream,
          day,
          file = null,
          archive = null,
          column: headers = new Map(),
          utcOffset: offsetMinutes = 0,
        } = options
        try {
          return output(await context.reconcile({ upstream, day, file, form: { headers, offsetMinutes }, archive }))
        } catch (error) {
          throw error instanceof ReconciliationError ? new AdminError(error.message) : error
        }
      }),
    )
}

function parseDayOption(text: string): string {
  if (parseDay(text) === null) throw new InvalidArgumentError('Give a date such as 2026-03-31.')
  return text
}

function parseColumn(text: string, before: ReadonlyMap<InvoiceColumn, string> = new Map()) {
  const at = text.indexOf('=')
  const name = text.slice(0, Math.max(at, 0))
  const header = text.slice(at + 1).trim()
  if (!isColumn(name) || header === '') {
    throw new InvalidArgumentError(
      `Give one of ${Object.keys(invoiceColumns).join(', ')}, "=" and the column's header.`,
    )
  }
  return new Map([...before, [name, header]])
}

function isColumn(name: string): name is InvoiceColumn {
  return Object.hasOwn(invoiceColumns, name)
}

function parseOffset(text: string): number {
  const minutes = parseUtcOffset(text)
  if (minutes === null) throw new InvalidArgumentError('Give an offset such as +02:00.')
  return minutes
}

function output({ runId, report }: EndedReconciliation): CommandOutput {
  const count = countDifferences(report)
  const { upstream, day, source, here, there, atEdge, unnamed, kinds, differences, notes } = report
  const difference = nanocreditsOf(there.cost - here.cost)
  return {
    text: [
      `${upstream}, ${day}: ${count === 0 ? 'no difference' : count === 1 ? '1 difference' : `${count} differences`}.`,
      renderTable([
        ['', 'rows', 'USD'],
        ['here', ...sideCells(here)],
        ['there', ...sideCells(there)],
        ['there - here', String(there.rows - here.rows), formatUsd(difference)],
        ...(atEdge.rows === 0 ? [] : [['not found, at an edge of the day', ...sideCells(atEdge)]]),
        ...(unnamed.rows === 0 ? [] : [['without an id', ...sideCells(unnamed)]]),
      ]),
      ...(kinds.length === 0 ? [] : [renderTable([KIND_HEAD, ...kinds.map(kindCells)])]),
      ...(differences.length === 0 ? [] : [renderTable([DIFFERENCE_HEAD, ...differences.map(differenceCells)])]),
      ...notes,
    ].join('\n\n'),
    json: {
      ...{ run_id: runId, upstream, day, source },
      ...{ here: jsonSide(here), there: jsonSide(there), at_edge: jsonSide(atEdge), unnamed: jsonSide(unnamed) },
      usd_difference: usdJson(difference),
      kinds: kinds.map(({ kind, count: of, ...sides }) => ({ kind, count: of, ...jsonSides(sides) })),
      differences: differences.map(({ kind, generationId, requestIds, model, ...sides }) => ({
        ...{ kind, generation_id: generationId, request_ids: requestIds, model },
        ...jsonSides(sides),
      })),
      notes,
    },
    exitCode: count === 0 ? 0 : DIFFERS,
  }
}

const words: Readonly<Record<DifferenceKind, string>> = {
  missing_here: 'billed, and no record here',
  missing_there: 'a record here, and not billed',
  doubled_here: 'several records here',
  doubled_there: 'billed several times',
  cost_differs: 'another cost',
}

const KIND_HEAD = ['what differs', 'count', 'USD here', 'USD there', 'there - here']
const DIFFERENCE_HEAD = ['what differs', 'generation', 'model', 'USD here', 'USD there', 'requests']

const sideCells = ({ rows, cost }: Side): readonly string[] => [String(rows), formatUsd(cost)]

const usdCells = ({ here, there }: Pick<Difference, 'here' | 'there'>): readonly string[] => [
  here.rows === 0 ? '-' : formatUsd(here.cost),
  there.rows === 0 ? '-' : formatUsd(there.cost),
]

const kindCells = ({ kind, count, here, there }: KindSum): readonly string[] => [
  ...[words[kind], String(count), ...usdCells({ here, there })],
  formatUsd(nanocreditsOf(there.cost - here.cost)),
]

const differenceCells = (difference: Difference): readonly string[] => [
  ...[words[difference.kind], difference.generationId ?? 'sum of all', difference.model ?? '-'],
  ...usdCells(difference),
  difference.requestIds.join(' ') || '-',
]

const jsonSide = ({ rows, cost }: Side) => ({ rows, usd: usdJson(cost), credits: creditsJson(cost) })

const jsonSides = ({ here, there }: Pick<Difference, 'here' | 'there'>) => ({
  here: jsonSide(here),
  there: jsonSide(there),
})
