/** What a part of the requests agree to pay before they are sent: a quote of theirs, or a maximum below that. */
import type { Form } from './forms.ts'

/** Output tokens that a maximum pays for: fewer than many a dialect says. */
const TOKENS_PAID = 30n
/** Nanocredits for a token of output, as the run prices it. */
const NANO_OUTPUT = 2_400_000n

export interface Terms {
  readonly headers: Readonly<Record<string, string>>
  /** The request costs at most so much, in nanocredits. */
  readonly most: bigint
  /** Whether it pays for less than the request asks for, so that its answer may be cut. */
  readonly isLess: boolean
}

type Agreement = 'quote' | 'quote and maximum' | 'maximum'

const AGREEMENTS: readonly (Agreement | null)[] = [null, null, 'quote', null, 'quote and maximum', null, 'maximum']

/** Which requests agree on something: the same ones each time. */
export function termsOf(asked: { readonly number: number; readonly form: Form; readonly isStream: boolean }) {
  const turn = asked.number + asked.form.path.length * 2 + (asked.isStream ? 1 : 0)
  return AGREEMENTS[turn % AGREEMENTS.length] ?? null
}

/** An amount of credits in JSON text, to the nano-credit. */
function amountOf(text: string, name: string): bigint {
  const [, whole = '', fraction = ''] = new RegExp(`"${name}":(\\d+)(?:\\.(\\d+))?`).exec(text) ?? []
  return BigInt(`${whole}${fraction.padEnd(9, '0')}`)
}

function creditsOf(nano: bigint): string {
  const digits = String(nano).padStart(10, '0')
  return `${digits.slice(0, -9)}.${digits.slice(-9)}`
}

interface Sent {
  readonly origin: string
  readonly headers: Readonly<Record<string, string>>
  readonly path: string
  readonly body: string
}

/** Has a request quoted. @throws {Error} where it has no quote. */
export async function agreeOn(agreement: Agreement, { origin, headers, path, body }: Sent): Promise<Terms> {
  const asked = { method: 'POST', headers, body: `{"endpoint":"${path}","body":${body}}` }
  const text = await (await fetch(`${origin}/v1/quotes`, asked)).text()
  const id = /"quote_id":"([\w-]+)"/.exec(text)?.[1]
  if (id === undefined) throw new Error(`${path} has no quote: ${text}`)
  const quote = { 'x-svc-quote': id }
  if (agreement === 'quote') return { headers: quote, most: amountOf(text, 'credits_at_most'), isLess: false }
  const prompt = amountOf(text.slice(text.indexOf('"prompt_tokens"')), 'credits')
  const most = prompt + TOKENS_PAID * NANO_OUTPUT
  const maximum = { 'x-svc-max-credits': creditsOf(most) }
  return { headers: agreement === 'maximum' ? maximum : { ...quote, ...maximum }, most, isLess: true }
}
