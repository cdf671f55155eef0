/** `svc usage REQUEST_ID`: one request, and how its charge came about. */
import type { Exact, UsageRecordBody } from '@svc/contract'
import type { Context } from '../context.ts'
import { creditsText } from '../credits-text.ts'
import { printJson } from '../print-json.ts'
import { quantityText, timeText } from './usage.ts'

export async function usageRecord(context: Context, requestId: string): Promise<void> {
  const { client, endpoints } = await context.api()
  const { terminal } = context
  const path = { request_id: requestId }
  const record = await client.call(endpoints.getUsage, { path }, { signal: terminal.signal })
  if (context.options.json === true) {
    await printJson(terminal.out, record)
    return
  }
  if (record.state === 'pending') {
    await terminal.out.line(`Still running: ${creditsText(record.credits_reserved)} are held for it.`)
    return
  }
  for (const line of recordLines(record)) await terminal.out.line(line)
}

function recordLines(record: Exact<UsageRecordBody>): string[] {
  const served = record.upstream_model === null ? '' : `, served by ${record.upstream_model}`
  const lines = [
    `Request   ${record.request_id}`,
    `When      ${timeText(record.created)}`,
    `Model     ${record.model}${served}`,
    `Status    ${record.error_code ?? record.status}`,
  ]
  const quantity = quantityText(record)
  if (quantity !== '') lines.push(`Quantity  ${quantity}${record.estimated ? ' (counted here)' : ''}`)
  lines.push(`Charge    ${creditsText(record.credits_charged)}${basisText(record.basis)}`)
  return [...lines, ...pricingLines(record.pricing)]
}

const BASES: Readonly<Record<NonNullable<UsageRecordBody['basis']>, string>> = {
  card: 'by the rate card',
  cost: 'by the reported cost',
  list: 'by the list price',
  estimate: 'by an estimate',
}

function basisText(basis: UsageRecordBody['basis']): string {
  return basis === null ? '' : ` ${BASES[basis]}`
}

/** Every figure of the record, unchanged: names and exact decimals. */
function pricingLines(pricing: object | null): string[] {
  if (pricing === null) return []
  return ['', ...flatten('', pricing).map(([name, value]) => `  ${name.padEnd(36)}${value}`)]
}

function flatten(prefix: string, value: object): [string, string][] {
  return Object.entries(value).flatMap(([name, field]: [string, unknown]): [string, string][] =>
    typeof field === 'object' && field !== null
      ? flatten(`${prefix}${name}.`, field)
      : [[`${prefix}${name}`, typeof field === 'string' ? field : JSON.stringify(field)]],
  )
}
