import { Command } from 'commander'
import { creditsJson, formatCredits, nanocreditsOf, type Nanocredits } from '@svc/contract'
import type { FoundCharge } from '../../money/billing/find-charge.ts'
import type { BookedHold, BookedTransfer, RequestRows } from '../../money/ledger/request-rows.ts'
import type { AdminContext } from './admin-context.ts'
import { AdminError } from './admin-error.ts'
import { parsePositiveAmount } from './parse-options.ts'
import { renderTable } from './render-table.ts'
import { runCommand, type CommandDeps, type CommandOutput } from './run-command.ts'

interface RefundOptions {
  readonly amount?: Nanocredits
  readonly reason: string
}

/** `request show` and `refund`. */
export function requestCommands(deps: CommandDeps): Command {
  const request = new Command('request').alias('usage').description('requests of any account')
  request
    .command('show')
    .description('what a request was charged and why, what it cost you, its hold and its transfers')
    .argument('<request>', 'its id, as in x-request-id')
    .action((requestId: string, _options: object, command: Command) =>
      runCommand(deps, command, (context) => show(context, requestId)),
    )
  request
    .command('refund')
    .description('give back what a request was charged, once')
    .argument('<request>', 'its id, as in x-request-id')
    .requiredOption('--reason <text>', 'why, in words for the account’s owner')
    .option('--amount <credits>', 'a part of the charge, an exact decimal; all of it if absent', parsePositiveAmount)
    .action((requestId: string, options: RefundOptions, command: Command) =>
      runCommand(deps, command, (context) => refund(context, requestId, options)),
    )
  return request
}

async function show(context: AdminContext, requestId: string): Promise<CommandOutput> {
  const charge = await context.findCharge(requestId)
  if (charge === null) throw new AdminError(`There is no request ${requestId}.`)
  const { hold, transfers } = await context.findRequestRows(charge.id)
  return {
    text: [renderCharge(charge), ...(hold === null ? [] : [renderHold(hold)]), ...transfers.map(renderTransfer)].join(
      '\n\n',
    ),
    json: { ...charge, ...jsonOf({ hold, transfers }) },
  }
}

/** Every field that says something, one a line. */
function renderCharge({ operator, ...record }: FoundCharge): string {
  const told = Object.entries({ ...record, ...operator }).filter(([, value]) => value !== null)
  return renderTable(
    told.map(([name, value]) => [name, typeof value === 'object' ? JSON.stringify(value) : String(value)]),
  )
}

const timeText = (time: number): string => new Date(time).toISOString()

function renderHold({ state, amount, firstAmount, extensions, placedAt, endedAt, processId }: BookedHold): string {
  return renderTable([
    ['hold', state],
    ['held', formatCredits(amount)],
    ...(extensions.length === 0 ? [] : [['held at first', formatCredits(firstAmount)]]),
    ...extensions.map(({ added, at }) => [`+ ${formatCredits(added)}`, timeText(at)]),
    ['placed', timeText(placedAt)],
    ...(endedAt === null ? [] : [['ended', timeText(endedAt)]]),
    ['process', processId],
  ])
}

function renderTransfer({ id, kind, reason, createdAt, ...amounts }: BookedTransfer): string {
  const named = Object.entries(amounts).filter(([, amount]) => amount !== 0n)
  return renderTable([
    ['transfer', id],
    ['kind', kind],
    ...named.map(([name, amount]) => [name === 'writeOff' ? 'written off' : name, formatCredits(amount)]),
    ...(reason === null ? [] : [['reason', reason]]),
    ['booked', timeText(createdAt)],
  ])
}

const credits = (amount: bigint) => creditsJson(nanocreditsOf(amount))

function jsonOf({ hold, transfers }: RequestRows): object {
  return {
    hold:
      hold === null
        ? null
        : {
            ...{ state: hold.state, credits: credits(hold.amount), credits_at_first: credits(hold.firstAmount) },
            extensions: hold.extensions.map(({ added, at }) => ({ credits: credits(added), at: timeText(at) })),
            placed_at: timeText(hold.placedAt),
            ended_at: hold.endedAt === null ? null : timeText(hold.endedAt),
            process_id: hold.processId,
          },
    transfers: transfers.map(({ id, kind, reason, createdAt, ...amounts }) => ({
      ...{ id, kind },
      credits_charged: credits(amounts.charge),
      credits_written_off: credits(amounts.writeOff),
      credits_cost: credits(amounts.cost),
      credits_margin: credits(amounts.margin),
      credits_funded: credits(amounts.funding),
      ...{ reason, created_at: timeText(createdAt) },
    })),
  }
}

async function refund(
  context: AdminContext,
  requestId: string,
  { amount, reason }: RefundOptions,
): Promise<CommandOutput> {
  const refunded = await context.refund({ requestId, amount: amount ?? null, reason })
  const { accountId, transferId, result } = refunded
  const isRepeated = result.kind === 'already_credited'
  return {
    text: isRepeated
      ? 'This was refunded before; nothing has changed.'
      : `Refunded ${formatCredits(refunded.amount)} credits to ${accountId}.`,
    json: {
      ...{ transfer_id: transferId, account_id: accountId, repeated: isRepeated },
      credits_refunded: isRepeated ? credits(0n) : credits(refunded.amount),
    },
  }
}
