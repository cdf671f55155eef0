/** What a command may spend: a maximum for each of its requests, or nothing at all, and a quote in its place. */
import type { CallableEndpoint, CallOptions, Client, createClient, endpoints, Exact, QuoteReply } from '@svc/contract'
import { CommandError } from './command-error.ts'
import type { GlobalOptions } from './global-options.ts'
import { countText } from './count-text.ts'
import { creditsText, usdText } from './credits-text.ts'
import { exitCodes } from './exit-codes.ts'
import { printJson } from './print-json.ts'
import { QuoteShownError } from './quote-shown-error.ts'
import type { Terminal } from './terminal/terminal.ts'

const MAX_CREDITS_HEADER = 'x-svc-max-credits'

export interface SpendingDeps {
  readonly terminal: Terminal
  readonly options: GlobalOptions
  readonly createQuote: (typeof endpoints)['createQuote']
}

/** The parts of a call that a quote is made of. */
interface QuotedInput {
  readonly body?: object
  readonly form?: object
}

/**
 * The same client within what the user allows: paid requests carry the user's maximum, or are quoted and not sent.
 *
 * @param client that takes the quotes, too. A call that was quoted rejects with a `QuoteShownError`.
 */
export function withSpending(client: ReturnType<typeof createClient>, deps: SpendingDeps): Client {
  const { maxCredits, quote = false } = deps.options
  if (maxCredits === undefined && !quote) return client
  const prepare = async (endpoint: CallableEndpoint, input: QuotedInput, given?: CallOptions): Promise<CallOptions> => {
    if (endpoint.isPaid !== true) return given ?? {}
    if (quote) await showQuote(client, deps, { endpoint: endpoint.path, body: quotedBody(input, deps.options) })
    return maxCredits === undefined
      ? (given ?? {})
      : { ...given, headers: { ...given?.headers, [MAX_CREDITS_HEADER]: maxCredits } }
  }
  // The types of a row's input are the caller's, and go on as they are.
  const call = async (endpoint: CallableEndpoint, input: object = {}, given?: CallOptions): Promise<unknown> => {
    const options = await prepare(endpoint, input, given)
    return (client.call as (...all: unknown[]) => Promise<unknown>)(endpoint, input, options)
  }
  return {
    call: call as Client['call'],
    open: async (endpoint, input, given) =>
      client.open(endpoint, input, await prepare(endpoint, input as QuotedInput, given)),
    async *stream(endpoint, input, given) {
      const { body } = input as QuotedInput
      yield* client.stream(endpoint, input, await prepare(endpoint, { body: { ...body, stream: true } }, given))
    },
  }
}

/** The form of a recording has no place in JSON: it is quoted by its length. */
function quotedBody({ body, form }: QuotedInput, { duration }: GlobalOptions): object {
  if (form === undefined) return body ?? {}
  const { file: _file, ...fields } = form as { readonly file?: unknown }
  if (duration !== undefined) return { ...fields, seconds: duration }
  throw new CommandError('How long is the recording? It is quoted by its length.', {
    advice: 'Give its length in seconds: --quote --duration 90.',
    exitCode: exitCodes.wrongUsage,
  })
}

/** Prints the quote of a request. @throws {QuoteShownError} always: the request is not sent. */
async function showQuote(
  client: Client,
  { terminal, options, createQuote }: SpendingDeps,
  asked: { readonly endpoint: string; readonly body: object },
): Promise<never> {
  const body = asked as { readonly endpoint: QuoteReply['endpoint']; readonly body: Record<string, unknown> }
  const quote = await client.call(createQuote, { body }, { signal: terminal.signal })
  if (options.json === true) await printJson(terminal.out, quote)
  else {
    const { credits_at_most: most, credits_likely: likely } = quote
    await terminal.out.line(
      `At most ${creditsText(most)} (${usdText(most)}), likely ${creditsText(likely)} (${usdText(likely)})`,
    )
    if (options.quiet !== true) {
      await terminal.notes.line(linesText(quote))
      await terminal.notes.line(`${quote.model}. Nothing was sent to it, and nothing was charged.`)
    }
  }
  throw new QuoteShownError()
}

/** What makes the maximum, a line each. */
function linesText({ lines }: Exact<QuoteReply>): string {
  return lines
    .map(({ unit, quantity, credits_per_unit: each, credits }) => {
      const name = unit.replaceAll('_', ' ')
      return `${countText(quantity)} ${quantity === 1 ? name.slice(0, -1) : name} × ${each} = ${creditsText(credits)}`
    })
    .join('\n')
}
