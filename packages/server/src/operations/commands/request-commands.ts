import { Command } from 'commander'
import { creditsJson, formatCredits, nanocreditsOf, type Nanocredits } from '@svc/contract'
import { openProof } from '@svc/contract/log/open-proof'
import type { Receipt } from '@svc/contract/log/receipt'
import type { FoundCharge } from '../../money/billing/find-charge.ts'
import type { BookedHold, BookedTransfer } from '../../money/ledger/request-rows.ts'
import type { ShownAttempt } from '../actions/find-request.ts'
import { renderRequest } from '../actions/render-request.ts'
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
    .description('what a request was charged and why, what it cost you, its hold, transfers, attempts and receipt')
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
  const found = await context.findRequest(requestId)
  if (found === null) {
    const hint = await context.archivedHint(requestId)
    const way = hint === '' ? '' : ' "archive show" reads its record from the files.'
    throw new AdminError(`There is no request ${requestId}.${hint}${way}`)
  }
  const { charge, hold, transfers, attempts, receipt, receiptProblem } = found
  const { record, ...rest } = renderRequest(found)
  return {
    text: [
      renderCharge(charge),
      ...(hold === null ? [] : [renderHold(hold)]),
      ...transfers.map(renderTransfer),
      ...(attempts.length === 0 ? [] : [renderAttempts(attempts)]),
      receipt === null ? `receipt: none (${receiptProblem ?? 'unknown'})` : renderReceipt(receipt),
    ].join('\n\n'),
    json: { ...record, ...rest },
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

function renderAttempts(attempts: readonly ShownAttempt[]): string {
  return renderTable([
    ['attempt', 'upstream', 'model', 'outcome', 'generation', 'cost'],
    ...attempts.map(({ upstream, upstreamModel, failure, generationId, cost }, at) => [
      ...[String(at + 1), upstream, upstreamModel, failure ?? 'went well', generationId ?? '-'],
      cost === null ? '-' : formatCredits(cost),
    ]),
  ])
}

/** What of it can be compared at a glance; `--json` has all, as `svc receipt verify` takes it. */
function renderReceipt({ entry, proof }: Receipt): string {
  const { index, head } = openProof(proof) ?? {}
  return renderTable([
    ['receipt', `leaf ${index ?? '?'} of ${head?.size ?? '?'} in ${head?.origin ?? '?'}`],
    ['line of its account', String(entry.number)],
    ['balance afterwards', formatCredits(BigInt(entry.balance))],
    ['digest of the record', entry.record_digest ?? '-'],
    ['digest of the operator', entry.operator_digest ?? '-'],
  ])
}

const credits = (amount: bigint) => creditsJson(nanocreditsOf(amount))

async function refund(
  context: AdminContext,
  requestId: string,
  { amount, reason }: RefundOptions,
): Promise<CommandOutput> {
  const refunded = await context.refund({ requestId, amount: amount ?? null, reason })
  const { accountId, transferId, result, bookedAt } = refunded
  const isRepeated = result.kind === 'already_credited'
  return {
    text: isRepeated
      ? `This was refunded before, at ${timeText(bookedAt)} by the transfer ${transferId}; nothing has changed.`
      : `Refunded ${formatCredits(refunded.amount)} credits to ${accountId}.`,
    json: {
      ...{ transfer_id: transferId, account_id: accountId, repeated: isRepeated, booked_at: timeText(bookedAt) },
      credits_refunded: isRepeated ? credits(0n) : credits(refunded.amount),
    },
  }
}
