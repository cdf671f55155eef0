import { Command, Option } from 'commander'
import { creditsJson, formatCredits } from '@svc/contract'
import { testMoneyText } from '../../chain/test-money.ts'
import { formatAmount } from '../../chain/format-amount.ts'
import type { Decision, DecideDepositResult, DepositVerdictRequest } from '../../deposits/decide-deposit.ts'
import type { Deposit, DepositState } from '../../deposits/deposit.ts'
import { renderDepositId } from '../../deposits/render-deposit.ts'
import type { AdminContext } from './admin-context.ts'
import { AdminError } from './admin-error.ts'
import { parseCount, parseDepositId, parseReason, parseUsdPrice } from './parse-options.ts'
import { renderTable } from './render-table.ts'
import { runCommand, type CommandDeps, type CommandOutput } from './run-command.ts'

const STATES: readonly DepositState[] = ['seen', 'confirming', 'credited', 'reversed', 'under_review', 'rejected']

interface ListOptions {
  readonly state?: DepositState
  readonly account?: string
  readonly limit: number
  readonly after?: string
}

interface DecideOptions {
  readonly reason: string
  readonly price?: string
}

/** `deposits list`, `show`, `release` and `reject`. */
export function depositCommands(deps: CommandDeps): Command {
  const deposits = new Command('deposits').description('payments on a chain that become credits')
  deposits
    .command('list')
    .description('list deposits, newest first')
    .addOption(new Option('--state <state>', 'in this state only').choices(STATES))
    .option('--account <account>', 'of this account only')
    .option('--limit <count>', 'how many', parseCount, 50)
    .option('--after <deposit>', 'continue after this one', parseDepositId)
    .action((options: ListOptions, command: Command) =>
      runCommand(deps, command, async (context) => listOutput(await context.listDeposits(options), context)),
    )
  deposits
    .command('show')
    .description('show a deposit and what was decided about it')
    .argument('<deposit>', 'its id', parseDepositId)
    .action((depositId: string, _options: object, command: Command) =>
      runCommand(deps, command, (context) => showDeposit(context, depositId)),
    )
  decideCommand(deps, deposits, 'release', 'let a deposit pass: it is credited at the next look at the chain').option(
    '--price <usd>',
    'US dollars of one unit, where no price was found',
    parseUsdPrice,
  )
  decideCommand(deps, deposits, 'reject', 'decide that a deposit is never credited; release undoes it')
  return deposits
}

function decideCommand(
  deps: CommandDeps,
  parent: Command,
  decision: DepositVerdictRequest['decision'],
  description: string,
): Command {
  return parent
    .command(decision)
    .description(description)
    .argument('<deposit>', 'its id', parseDepositId)
    .requiredOption('--reason <words>', 'why; kept for good', parseReason)
    .action((depositId: string, { reason, price }: DecideOptions, command: Command) =>
      runCommand(deps, command, async (context) =>
        decisionOutput(
          await context.decideDeposit({ depositId, decision, reason, price: price ?? null }),
          decision,
          depositId,
        ),
      ),
    )
}

async function showDeposit(context: AdminContext, depositId: string): Promise<CommandOutput> {
  const found = await context.findDeposit(depositId)
  if (found === null) throw unknownDeposit(depositId)
  const { deposit, decisions } = found
  return {
    text: [renderTable(factsOf(deposit, context)), ...decisions.map(decisionText)].join('\n'),
    json: { ...depositJson(deposit), decisions: decisions.map(decisionJson) },
  }
}

function decisionOutput(
  result: DecideDepositResult,
  decision: DepositVerdictRequest['decision'],
  depositId: string,
): CommandOutput {
  const id = renderDepositId(depositId)
  const done = decision === 'release' ? 'released' : 'rejected'
  switch (result.kind) {
    case 'unknown_deposit':
      throw unknownDeposit(depositId)
    case 'credited':
      throw new AdminError(`Deposit ${id} is credited. "credits adjust" corrects a balance.`)
    case 'not_final':
      throw new AdminError(`Deposit ${id} is ${result.state}: it has to be in a block of the chain first.`)
    case 'needs_price':
      throw new AdminError(`Deposit ${id} has no price. Name one with --price, in US dollars for one unit.`)
    case 'changed_meanwhile':
      throw new AdminError(`Deposit ${id} changed in this moment. Look at it again.`)
    case 'repeated':
      return { text: `Deposit ${id} was ${done} before; nothing has changed.`, json: decidedJson(result.deposit, true) }
    case 'decided':
      return { text: `Deposit ${id} is ${done}.`, json: decidedJson(result.deposit, false) }
  }
}

function decidedJson(deposit: Deposit, repeated: boolean): object {
  return { ...depositJson(deposit), repeated }
}

function unknownDeposit(depositId: string): AdminError {
  return new AdminError(`There is no deposit ${renderDepositId(depositId)}. "deposits list" shows all.`)
}

/** What the coins of the chains are. */
type ChainFacts = Pick<AdminContext, 'hasLocalChains'>

function chainText({ chainId }: Deposit, { hasLocalChains }: ChainFacts): string {
  const mark = testMoneyText(chainId, hasLocalChains)
  return mark === null ? String(chainId) : `${chainId} (${mark})`
}

function listOutput(deposits: readonly Deposit[], facts: ChainFacts): CommandOutput {
  const head = ['ID', 'ACCOUNT', 'STATE', 'WAITS FOR', 'CHAIN', 'AMOUNT', 'CREDITS', 'SEEN']
  const rows = deposits.map((deposit) => [
    renderDepositId(deposit.depositId),
    deposit.accountId,
    deposit.state,
    deposit.reason ?? '',
    chainText(deposit, facts),
    `${formatAmount(deposit.amount, deposit.asset)} ${deposit.asset}`,
    creditsText(deposit),
    timeOf(deposit.seenAt) ?? '',
  ])
  return {
    text: deposits.length === 0 ? 'No deposits.' : renderTable([head, ...rows]),
    json: deposits.map(depositJson),
  }
}

function factsOf(deposit: Deposit, facts: ChainFacts): readonly (readonly string[])[] {
  return [
    ['Deposit', renderDepositId(deposit.depositId)],
    ['Account', deposit.accountId],
    ['State', deposit.reason === null ? deposit.state : `${deposit.state} (${deposit.reason})`],
    ['Note', deposit.note ?? ''],
    ['Amount', `${formatAmount(deposit.amount, deposit.asset)} ${deposit.asset}`],
    ['Credits', creditsText(deposit)],
    ['Price', deposit.price === null ? 'not known' : `${deposit.price} USD, round ${deposit.priceRound ?? 'unknown'}`],
    ['Chain', chainText(deposit, facts)],
    ['Transaction', `${deposit.txHash} ${deposit.ordinal}`],
    ['Block', `${deposit.blockNumber} ${deposit.blockHash}`],
    ['Block time', timeOf(deposit.blockTime) ?? ''],
    ['To', deposit.address],
    ['From', deposit.sender ?? 'unknown'],
    ['Seen', timeOf(deposit.seenAt) ?? ''],
    ['In doubt since', timeOf(deposit.doubtedAt) ?? 'never'],
    ['Released', timeOf(deposit.releasedAt) ?? 'no'],
    ['Credited', timeOf(deposit.creditedAt) ?? 'no'],
  ]
}

function decisionText({ decision, decidedBy, decidedAt, reason, price }: Decision): string {
  const at = price === null ? '' : ` at ${price} USD`
  return `${timeOf(decidedAt)}  ${decision}${at} by ${decidedBy}: ${reason}`
}

function decisionJson({ decision, decidedBy, decidedAt, reason, price }: Decision): object {
  return { decision, reason, price_usd: price, by: decidedBy, at: timeOf(decidedAt) }
}

function creditsText({ credits }: Deposit): string {
  return credits === null ? 'not known' : formatCredits(credits)
}

function depositJson(deposit: Deposit): object {
  return {
    deposit_id: renderDepositId(deposit.depositId),
    account_id: deposit.accountId,
    state: deposit.state,
    reason: deposit.reason,
    note: deposit.note,
    chain_id: deposit.chainId,
    transaction: deposit.txHash,
    ordinal: deposit.ordinal,
    asset: deposit.asset,
    amount: formatAmount(deposit.amount, deposit.asset),
    credits: deposit.credits === null ? null : creditsJson(deposit.credits),
    price_usd: deposit.price,
    price_round: deposit.priceRound,
    address: deposit.address,
    sender: deposit.sender,
    block_number: deposit.blockNumber,
    block_hash: deposit.blockHash,
    block_time: timeOf(deposit.blockTime),
    seen: timeOf(deposit.seenAt),
    doubted: timeOf(deposit.doubtedAt),
    released: timeOf(deposit.releasedAt),
    credited: timeOf(deposit.creditedAt),
  }
}

function timeOf(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString()
}
