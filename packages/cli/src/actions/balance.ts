/** `svc balance`: what there is to spend. */
import type { BalanceReply, Exact } from '@svc/contract'
import type { Context } from '../context.ts'
import { creditsText, usdText } from '../credits-text.ts'
import { printJson } from '../print-json.ts'

export async function balance(context: Context): Promise<void> {
  const { client, endpoints } = await context.api()
  const { terminal } = context
  const reply = await client.call(endpoints.getBalance, {}, { signal: terminal.signal })
  if (context.options.json === true) {
    await printJson(terminal.out, reply)
    return
  }
  for (const line of balanceLines(reply)) await terminal.out.line(line)
}

/** The available amount first: it is what the next request is judged by. */
function balanceLines(reply: Exact<BalanceReply>): string[] {
  const lines = [
    `Available  ${creditsText(reply.credits_available)} (${usdText(reply.credits_available)})`,
    `Balance    ${creditsText(reply.credits)} (${usdText(reply.credits)})`,
  ]
  if (reply.credits_reserved !== '0')
    lines.push(`On hold    ${creditsText(reply.credits_reserved)} for requests in flight`)
  const { key } = reply
  if (key.budget_credits !== null && key.budget_remaining !== null) {
    const reset = key.budget_reset === null ? '' : `, ${key.budget_reset}`
    const left = creditsText(key.budget_remaining)
    lines.push(`Budget     ${left} left of ${creditsText(key.budget_credits)} for the key "${key.name}"${reset}`)
  }
  return lines
}
